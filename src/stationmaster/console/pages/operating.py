"""The operators' page: what came in, what goes out, what a sweep found, and answers that are stuck."""

from http import HTTPStatus
from pathlib import Path
from typing import Any, LiteralString

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stationmaster.console import operators
from stationmaster.console.pages.people import require, require_overseer, signed_in
from stationmaster.console.pages.render import page
from stationmaster.console.services import services
from stationmaster.postgres.queries import load
from stationmaster.reviews import store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.errors import NotFound, ReviewError
from stationmaster.reviews.model import Review
from stationmaster.reviews.outbox import queue
from stationmaster.reviews.settling import action_of, may_close, may_continue, why_stuck
from webhooks.retrying import retry

QUERIES = load(Path(__file__).with_suffix(".sql"))
ALL = ("outgoing_counts", "deliveries_troubled", "delivery_counts", "refusals")
STATEMENTS: dict[str, LiteralString] = {name: QUERIES[name] for name in ALL}

DRIFT = {
    "missed": "Questions that no webhook told of, found by the sweep",
    "vanished": "Questions that were gone without an answer",
    "superseded": "Questions that new input replaced",
    "answered_elsewhere": "Answered at the Agent Server, past the inbox",
    "answered_but_pending": "Answered, and still asked afterwards",
    "returned": "Answered questions that the server forgot and asked again",
}


LOOPS = {
    "answers": "Answers to the Agent Server", "sweep": "Sweeps", "timers": "Reminders and escalations",
    "events": "Events to other services", "messages": "Messages to people", "tidying": "Tidying",
    "webhooks": "Webhooks that came in", "crons": "Checks of crons", "workers": "All workers",
}  # fmt: skip


@signed_in
async def operations(request: Request, viewer: Identity) -> Response:
    """For leads; what can't be cut by group (webhooks, events) only for those who see every group."""
    return await _draw(request, viewer)


async def _draw(request: Request, viewer: Identity, problem: ReviewError | None = None) -> Response:
    require(viewer, "lead")
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in ALL}
    async with services(request).pool.connection() as conn:
        stuck = await store.stuck(conn, viewer)
        drift = await store.drift(conn)
        troubled = await queue.troubled(conn, viewer.scope(), limit=100)
        if viewer.sees_every_group:
            for name, statement in STATEMENTS.items():
                found[name] = await (await conn.execute(statement)).fetchall()
    workers = services(request).workers
    return page(
        request, "operations.html", viewer, status=problem.status if problem else 200, current="/operations",
        here="/operations" if problem else "", drift=drift, drift_words=DRIFT,
        problem=problem, most=store.STUCK_LISTED,
        stuck=[_stuck(found) for found in stuck],
        sees_all=viewer.sees_every_group,
        deliveries={row["state"]: row["n"] for row in found["delivery_counts"]}, refusals=found["refusals"],
        troubled_deliveries=found["deliveries_troubled"],
        outgoing={row["medium"]: row for row in found["outgoing_counts"]},
        troubled=troubled, workers_ended=workers is not None and workers.done(),
        loops=services(request).health.troubles, loop_words=LOOPS,
    )  # fmt: skip


@signed_in
async def settle(request: Request, viewer: Identity) -> Response:
    """The safe action for a stuck answer; what it was told by, or why it was not done, on the same page."""
    form = await request.form()
    given = (str(form.get(name, "")) for name in ("action", "note", "assistant"))
    try:
        done = await operators.carry_out(services(request), request.path_params["review_id"], viewer, *given)
    except NotFound:
        raise
    except ReviewError as error:
        return await _draw(request, viewer, error)
    where = f"/reviews/{done.id}" if form.get("from") == "review" else "/operations#stuck"
    return RedirectResponse(where, HTTPStatus.SEE_OTHER)


@signed_in
async def retry_delivery(request: Request, viewer: Identity) -> Response:
    """A webhook that failed is worked on again; one that is under way already stays so."""
    require_overseer(viewer)
    given = request.path_params["delivery_id"]
    if not given.isdecimal() or len(given) > 18:
        raise NotFound("delivery")
    await retry(services(request).pool, int(given), viewer.name)
    return RedirectResponse("/operations#deliveries", HTTPStatus.SEE_OTHER)


@signed_in
async def replay(request: Request, viewer: Identity) -> Response:
    """A dead event or notice gets another day of tries, under the id that it had."""
    require(viewer, "lead")
    form = await request.form()
    message, receiver = str(form.get("message", "")), str(form.get("receiver", ""))
    await operators.replay(services(request).pool, viewer, message, receiver)
    return RedirectResponse("/operations#outgoing", HTTPStatus.SEE_OTHER)


def _stuck(review: Review) -> dict[str, Any]:
    return {
        "review": review, "why": why_stuck(review), "action": action_of(review), "go_on": may_continue(review),
        "may_close": may_close(review), "since": review.failing_since or review.updated_at,
    }  # fmt: skip

"""For operators: what webhooks told us, what sweeps found that none had told, and answers that got stuck."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import Path as Path_
from fastapi import Query

from stationmaster.console.api.asking import AtHand, Lead, Overseer, Who, declared
from stationmaster.console.api.bodies import ReviewOut, Settling, review_json
from stationmaster.console.json import JSONResponse
from stationmaster.console.operators import carry_out
from stationmaster.postgres.queries import load
from stationmaster.reviews import store
from stationmaster.reviews.errors import Conflict, NotFound
from stationmaster.reviews.settling import action_of, why_stuck
from webhooks.retrying import retry

QUERIES = load(Path(__file__).with_suffix(".sql"))
DELIVERIES = QUERIES["deliveries"]
DELIVERY_COUNTS = QUERIES["delivery_counts"]
REFUSALS = QUERIES["refusals"]
DELIVERY = QUERIES["delivery"]


class NotFailed(Conflict):
    """A delivery that needs no other try."""

    code = "not_failed"


@declared(response_model=dict[str, Any])
async def get_drift(who: Lead, at_hand: AtHand) -> JSONResponse:
    """What the sweep found that no webhook had told, and how far behind it is; the threads' ids for those who see every
    group."""
    async with at_hand.pool.connection() as conn:
        found = asdict(await store.drift(conn))
    if not who.sees_every_group:
        found["counters"] = {name: {**row, "last_thread": None} for name, row in found["counters"].items()}
    return JSONResponse(found)


@declared(response_model=dict[str, Any])
async def list_deliveries(
    _: Overseer, at_hand: AtHand, state: Literal["new", "done", "unreadable", "failed"] | None = None,
    before: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> JSONResponse:  # fmt: skip
    """Webhooks that came, newest first, how many are in which state, and how many were turned away today."""
    async with at_hand.pool.connection() as conn:
        parameters = {"state": state, "before": before, "limit": limit}
        rows = await (await conn.execute(DELIVERIES, parameters)).fetchall()
        counts = await (await conn.execute(DELIVERY_COUNTS)).fetchall()
        refusals = await (await conn.execute(REFUSALS)).fetchall()
    return JSONResponse(
        {
            "deliveries": rows, "counts": {row["state"]: row["n"] for row in counts},
            "refused_today": {row["reason"]: row["n"] for row in refusals},
            "next": rows[-1]["delivery_id"] if len(rows) == limit else None,
        }
    )  # fmt: skip


@declared(response_model=dict[str, Any])
async def retry_delivery(
    delivery_id: Annotated[int, Path_(ge=1, lt=2**63)], who: Overseer, at_hand: AtHand
) -> JSONResponse:
    """Have a webhook that failed worked on again. 409 for one that did not fail, or is under way again."""
    if not await retry(at_hand.pool, delivery_id, who.name):
        async with at_hand.pool.connection() as conn:
            found = await (await conn.execute(DELIVERY, {"delivery_id": delivery_id})).fetchone()
        if found is None:
            raise NotFound("delivery")
        raise NotFailed(f"this delivery is `{found['state']}`: only one that failed is tried again")
    return JSONResponse({"delivery_id": delivery_id, "state": "new"})


@declared(response_model=ReviewOut)
async def settle_review(review_id: str, body: Settling, who: Who, at_hand: AtHand) -> JSONResponse:
    """Do what is safe about an answer that got stuck; a lead of its groups.

    `look_again` at what is on its way; `retry` what could not be delivered, with another `assistant` if need be;
    `give_up` (with a note of what was found out) that, or what state can't tell; `tick_off` what was seen to;
    `continue` a thread whose run failed after it took the answer, if nothing has moved it since.
    """
    done = await carry_out(at_hand, review_id, who, body.action, body.note or "", body.assistant or "")
    return JSONResponse(review_json(done))


@declared(response_model=list[Any])
async def list_stuck(
    who: Lead, at_hand: AtHand, limit: Annotated[int, Query(ge=1, le=1000)] = store.STUCK_LISTED
) -> JSONResponse:
    """Answers that did not arrive as they should, and reviews that say that a person must look.

    `why` says what keeps each, and `action` what is safe to do about it.
    """
    async with at_hand.pool.connection() as conn:
        stuck = await store.stuck(conn, who, limit)
    return JSONResponse(
        [{**review_json(one), "why": why_stuck(one), "action": action_of(one)} for one in stuck]
    )


@declared(response_model=dict[str, Any])
async def list_loops(_: Lead, at_hand: AtHand) -> JSONResponse:
    """Whether the workers of this console run, and which of their loops have failed since its start; one with an
    `again_at` stands still until then."""
    workers = at_hand.workers
    return JSONResponse(
        {
            "ended": workers is not None and workers.done(),
            "troubles": [asdict(trouble) for trouble in at_hand.health.troubles],
        }
    )

"""One review as a page: the question and its form, the evidence, what became of it, what was said."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode
from uuid import uuid4

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stationmaster.console.pages import markdown, query, standing, thread
from stationmaster.console.pages.form import Typed, ways
from stationmaster.console.pages.inbox import LABELS
from stationmaster.console.pages.offering import offered
from stationmaster.console.pages.people import signed_in
from stationmaster.console.pages.render import page
from stationmaster.console.pages.shown import MAX_JSON, as_json, label, shown, size
from stationmaster.console.pages.timeline import timeline
from stationmaster.console.services import services
from stationmaster.reviews import audit, json_text, results, shapes, store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.asking_as import asked_as
from stationmaster.reviews.model import Review
from stationmaster.reviews.settling import may_close, may_continue
from stationmaster.reviews.store import ListQuery

TALL = 1_500
"""Characters from which on a question's text scrolls in a box of its own."""


@dataclass(frozen=True)
class Problem:
    """Why an answer was not taken; `fields` are {label, anchor, text}."""

    head: str
    text: str = ""
    tone: str = "failed"
    fields: tuple[dict[str, str], ...] = ()


@dataclass(frozen=True)
class Refusal:
    """A refused answer on its way back to the page: the problem, what was typed, and the HTTP status."""

    problem: Problem
    status: int
    typed: Typed = field(default_factory=Typed)
    extra: str = ""
    """What was typed, as text, for a page whose form is gone."""


@signed_in
async def review(request: Request, viewer: Identity) -> Response:
    """GET: the page, and an entry in the audit that it was shown."""
    return await draw(request, viewer, request.path_params["review_id"])


async def draw(
    request: Request, viewer: Identity, review_id: str, refusal: Refusal | None = None
) -> Response:
    """The page; with a refusal, its form holds what was typed."""
    async with services(request).pool.connection() as conn:
        found = await store.get(conn, review_id, viewer)
        said = await store.comments(conn, found.id)
        entries = await audit.history(conn, found.id)
        waiting = await store.page(conn, ListQuery(limit=2), viewer) if found.state != "open" else None
        await audit.seen(conn, found, viewer.name, "page")
    next_up = next((other for other in waiting.reviews if other.id != found.id), None) if waiting else None
    return page(
        request, "review.html", viewer, status=refusal.status if refusal else 200, review=found,
        key=uuid4().hex, here=f"/reviews/{found.id}" if refusal else "",
        timeline=timeline(entries, said), next_up=next_up,
        problem=refusal.problem if refusal else None, **_question(found, viewer, refusal), **_evidence(found),
        **_outcome(found, viewer), **_way_back(request),
    )  # fmt: skip


def _question(found: Review, viewer: Identity, refusal: Refusal | None) -> dict[str, Any]:
    shape = shapes.named(found.shape)
    described = shape.describe(found.pending)
    may_act = viewer.has("reviewer")
    free = found.claimed_by in (None, viewer.name) and found.first_by != viewer.name
    may_answer = found.state == "open" and may_act and free
    form = offered(found)
    in_form = [entry.value for choice in form.choices for entry in choice.fields if entry.editable]
    body = described.body if described.body and described.body.strip() != found.title else None
    return {
        "body": markdown.render(body) if body else None, "tall": bool(body and len(body) > TALL),
        "may_answer": may_answer, "may_claim": may_act, "may_comment": may_act,
        "confirm": _confirm(found) if may_answer else None,
        "drawn": ways(form, refusal.typed if refusal else None) if may_answer else None,
        "typed_text": refusal.extra if refusal and not may_answer else "",
        "actions": [{"name": action.name, "shown": shown(action.args)} for action in described.actions],
        "parts": _parts(_evident(found), described.evidence, in_form if may_answer else ()),
    }  # fmt: skip


def _evident(found: Review) -> Any:
    """The payload, without the words of a breakpoint that stand above it."""
    is_stop = found.shape == shapes.breakpoint.NAME and isinstance(found.payload, dict)
    return shapes.breakpoint.without_words(found.payload) if is_stop else found.payload


def _parts(payload: Any, keys: tuple[str, ...], in_form: Iterable[Any]) -> list[dict[str, Any]]:
    """The payload's parts that are worth a heading: single words and figures together under one, then sentences,
    then the rest. A text that stands in the form is not shown twice."""
    if not isinstance(payload, dict):
        return []
    edited = [text for text in in_form if isinstance(text, str)]
    picked = [
        (key, shown(payload[key], key)) for key in keys if key in payload and payload[key] not in edited
    ]
    short = {key: payload[key] for key, made in picked if not made.wide}
    wide = sorted(
        ((key, made) for key, made in picked if made.wide), key=lambda part: part[1].type != "string"
    )
    parts = [{"key": key, "label": label(key), "shown": made} for key, made in wide]
    if short:
        parts.insert(0, {"key": "", "label": "At a glance", "shown": shown(short)})
    return parts


def _confirm(found: Review) -> dict[str, Any] | None:
    """What the second of two people confirms: the first one's answer, as it stands."""
    if found.first_by is None or not isinstance(found.first_answer, dict):
        return None
    first = found.first_answer
    return {
        "decision": str(first.get("decision")), "token": found.first_at.isoformat() if found.first_at else "",
        "text": as_json(first.get("answer"))[:MAX_JSON], "changes": standing.changes(first.get("edits")),
        "reason": first.get("reason"),
    }  # fmt: skip


def _evidence(found: Review) -> dict[str, Any]:
    text = as_json(found.payload)
    ids = {
        "review": found.id, "thread": found.thread_id, "interrupt": found.interrupt_id, "run": found.run_id,
        "answering run": found.resume_run_id, "checkpoint": found.checkpoint_id,
        "assistant": asked_as(found.graph, found.assistant_id, found.assistant_name, found.assistant_version),
        "assistant's id": found.assistant_id if found.assistant_name else None,
        "namespace": found.namespace, "shape": found.shape, "digest": found.digest,
        "policy": found.policy.get("name") or json.dumps(found.policy) if found.policy else None,
    }  # fmt: skip
    return {
        "payload": {"text": text[:MAX_JSON], "cut": len(text) > MAX_JSON, "size": size(len(text))},
        "schema_text": as_json(found.response_schema)[:MAX_JSON],
        "answer_text": as_json(found.answer)[:MAX_JSON] if found.decided_at else "",
        "ids": [(name, value) for name, value in ids.items() if value],
    }


def _outcome(found: Review, viewer: Identity) -> dict[str, Any]:
    return {
        "stale": standing.stale(found, viewer.name), "steps": standing.steps(found),
        "undo": standing.undo_seconds(found, viewer.name, datetime.now(UTC)), "changes": standing.changes(found.edits),
        "go_on": may_continue(found) and viewer.has("lead"), "has_result": results.has_result(found),
        "undelivered": standing.undelivered(found, datetime.now(UTC)), "may_close": may_close(found),
    }  # fmt: skip


def _way_back(request: Request) -> dict[str, str]:
    """The list that the reader came from, with its filters: they ride along in the review's own URL."""
    filters = query.parse(request.query_params)
    kept = [(name, value) for name, value in request.query_params.multi_items() if name in query.NAMES]
    return {"back": f"/?{urlencode(kept)}" if kept else "/", "back_label": LABELS[filters.tab]}


@signed_in
async def back_to(request: Request, viewer: Identity) -> Response:
    """GET on what only POST does: the review itself."""
    async with services(request).pool.connection() as conn:
        found = await store.get(conn, request.path_params["review_id"], viewer)
    return RedirectResponse(f"/reviews/{found.id}", 303, {"Cache-Control": "no-store"})


@signed_in
async def payload(request: Request, viewer: Identity) -> Response:
    """The whole payload as JSON text, however large; nothing in it is read as HTML."""
    async with services(request).pool.connection() as conn:
        found = await store.get(conn, request.path_params["review_id"], viewer)
    body = json_text.write(found.payload, indent=2).encode()
    return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})


@signed_in
async def thread_now(request: Request, viewer: Identity) -> Response:
    """Messages and state of the thread, as the Agent Server has them now."""
    async with services(request).pool.connection() as conn:
        found = await store.get(conn, request.path_params["review_id"], viewer)
    looked = await thread.look(services(request).settings, found.thread_id)
    return page(request, "thread.html", viewer, review=found, thread=looked)


@signed_in
async def result(request: Request, viewer: Identity) -> Response:
    """What the run wrote that carried the answer, as the Agent Server has it."""
    async with services(request).pool.connection() as conn:
        found = await store.get(conn, request.path_params["review_id"], viewer)
    looked = await thread.came_of(services(request).server, found)
    return page(request, "result.html", viewer, review=found, result=looked)

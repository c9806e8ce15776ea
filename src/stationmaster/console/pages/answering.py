"""What a person does with a review: answer, undo, claim, release, comment; each with its refusals told in place."""

from collections.abc import Awaitable, Callable, Mapping
from http import HTTPStatus
from typing import Any

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from stationmaster.console.pages import standing, words
from stationmaster.console.pages.people import signed_in, wants_json
from stationmaster.console.pages.refusals import refused
from stationmaster.console.pages.reviewing import draw
from stationmaster.console.pages.submitting import Sent, read
from stationmaster.console.services import services
from stationmaster.reviews import decide as deciding
from stationmaster.reviews import store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.errors import ReviewError
from stationmaster.reviews.model import Review

Act = Callable[[Request, Identity, FormData], Awaitable[Review]]


@signed_in
async def decide(request: Request, viewer: Identity) -> Response:
    """The answer of a form, or of a script's. Twice the same press is one decision: the form carries its key."""
    form = await request.form()
    pool = services(request).pool
    review_id = request.path_params["review_id"]
    async with pool.connection() as conn:
        found = await store.get(conn, review_id, viewer)
    sent = read(found, form)
    if sent.refusal:
        return await _told(request, viewer, found, sent.refusal, sent)
    try:
        undo_s = services(request).settings.undo_s
        decided = await deciding.decide(
            pool, found.id, viewer, sent.submission, idempotency_key=_key(form), undo_s=undo_s
        )
    except ReviewError as error:
        return await _told(request, viewer, found, error, sent)
    if wants_json(request):
        return JSONResponse(_taken(decided, viewer))
    return _see(request, found.id, form)


def _taken(decided: Review, viewer: Identity) -> dict[str, Any]:
    """What the list's toast says: with two people the first answer waits, and nothing leaves."""
    if decided.state == "open":
        return {"ok": True, "said": "Kept for a second person", "undo_s": 0}
    said = words.done(decided.decision)
    left = standing.undo_seconds(decided, viewer.name, words.now())
    return {"ok": True, "said": said[:1].upper() + said[1:], "undo_s": left}


async def _told(
    request: Request, viewer: Identity, found: Review, error: ReviewError, sent: Sent | None = None
) -> Response:
    """The refusal, where the answer was given: the page with all that was typed, or JSON for the list."""
    refusal = refused(error, found, viewer.name, sent)
    if wants_json(request):
        problem = refusal.problem
        text = problem.text or "; ".join(f"{item['label']}: {item['text']}" for item in problem.fields)
        return JSONResponse({"ok": False, "head": problem.head, "text": text}, refusal.status)
    return await draw(request, viewer, found.id, refusal)


def _act(run: Act) -> Callable[[Request], Awaitable[Response]]:
    """An endpoint for one of the smaller deeds."""

    @signed_in
    async def endpoint(request: Request, viewer: Identity) -> Response:
        form = await request.form()
        async with services(request).pool.connection() as conn:
            found = await store.get(conn, request.path_params["review_id"], viewer)
        try:
            await run(request, viewer, form)
        except ReviewError as error:
            return await _told(request, viewer, found, error)
        return JSONResponse({"ok": True}) if wants_json(request) else _see(request, found.id, form)

    return endpoint


async def _undo(request: Request, viewer: Identity, form: FormData) -> Review:
    return await deciding.undo(services(request).pool, request.path_params["review_id"], viewer)


async def _claim(request: Request, viewer: Identity, form: FormData) -> Review:
    return await deciding.claim(services(request).pool, request.path_params["review_id"], viewer)


async def _release(request: Request, viewer: Identity, form: FormData) -> Review:
    return await deciding.release(services(request).pool, request.path_params["review_id"], viewer)


async def _comment(request: Request, viewer: Identity, form: FormData) -> Any:
    body = str(form.get("body", "")).replace("\r\n", "\n")
    return await deciding.comment(services(request).pool, request.path_params["review_id"], viewer, body)


undo, claim, release, comment = _act(_undo), _act(_claim), _act(_release), _act(_comment)


def _key(form: Mapping[str, Any]) -> str | None:
    key = form.get("key")
    return key if isinstance(key, str) and 0 < len(key) <= 200 else None


def _see(request: Request, review_id: str, form: FormData) -> Response:
    """Back to the review, with the list it belongs to in its URL; a reload then repeats nothing."""
    back = form.get("back")
    query = back.partition("?")[2] if isinstance(back, str) and back.startswith("/?") else ""
    where = f"/reviews/{review_id}?{query}" if query and query.isprintable() else f"/reviews/{review_id}"
    return RedirectResponse(where, HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})

"""Links in messages that may answer one review, once: opening one shows a page, only its button acts."""

from http import HTTPStatus
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from stationmaster.console import session
from stationmaster.console.pages.render import page
from stationmaster.console.services import services
from stationmaster.reviews import decide, store
from stationmaster.reviews.access import throttle
from stationmaster.reviews.access.errors import LinkRefused
from stationmaster.reviews.model import Submission
from stationmaster.reviews.notify import links

MAX_REASON = 10_000


async def show(request: Request) -> Response:
    """What the link would do. Nothing is used up by looking: mail scanners and previews open every link."""
    secret = request.path_params["secret"]
    async with services(request).pool.connection() as conn:
        try:
            link = await links.look(conn, secret)
        except LinkRefused:
            await _counted(request)
            raise
        review = await store.get(conn, link.review_id, link.identity)
    return page(
        request,
        "act.html",
        None,
        review=review,
        decision=link.decision,
        action=f"{links.PATH}/{quote(secret)}",
    )


async def act(request: Request) -> Response:
    """The button was pressed. The link is used up first: of two presses at once, one answers."""
    pool = services(request).pool
    reason = str((await request.form()).get("reason", "")).replace("\x00", "").strip()[:MAX_REASON]
    async with pool.connection() as conn:
        try:
            link = await links.consume(conn, request.path_params["secret"])
        except LinkRefused:
            await _counted(request)
            raise
    submission = Submission(decision=link.decision, reason=reason or None)
    undo_s = services(request).settings.undo_s
    done = await decide.decide(pool, link.review_id, link.identity, submission, undo_s=undo_s)
    if await session.visitor(request):
        return RedirectResponse(links.review_url("", done.id), HTTPStatus.SEE_OTHER)
    return page(request, "acted.html", None, review=done)


async def _counted(request: Request) -> None:
    await throttle.count(services(request).pool, name=None, address=session.address(request))


def routes() -> list[Route]:
    """The credential is the link itself."""
    return [Route(f"{links.PATH}/{{secret}}", show), Route(f"{links.PATH}/{{secret}}", act, methods=["POST"])]

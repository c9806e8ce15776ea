"""How a failure reads to a person: one plain sentence, and the way back."""

from http import HTTPStatus

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.console import session
from stationmaster.console.pages.render import page

HEADS = {
    403: "Not for you to do", 404: "Not here", 405: "Not possible here", 409: "Too late", 413: "Too large",
    429: "Too many tries", 503: "The database does not answer",
}  # fmt: skip


async def failure(request: Request, status: int, detail: str) -> Response:
    """A page for any failure; drawn without the database's help where that is what failed."""
    viewer = None
    if status < HTTPStatus.INTERNAL_SERVER_ERROR and "services" in request.scope.get("state", {}):
        viewer = await session.visitor(request)
    head = HEADS.get(status, "Something went wrong" if status >= 500 else "That did not work")
    return page(request, "failure.html", viewer, status=status, head=head, detail=detail, code=status)

"""Who looks at a page: signed in, or sent to the sign-in and back."""

from collections.abc import Awaitable, Callable
from functools import wraps
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from stationmaster.console import session
from stationmaster.reviews.access.identity import Identity, Role
from stationmaster.reviews.errors import Forbidden

View = Callable[[Request, Identity], Awaitable[Response]]
Endpoint = Callable[[Request], Awaitable[Response]]


def wants_json(request: Request) -> bool:
    """Whether one of our scripts asks, rather than the browser itself."""
    return request.headers.get("accept", "").startswith("application/json")


def signed_in(view: View) -> Endpoint:
    """An endpoint for those who are signed in; others go to the sign-in, and come back when they only looked."""

    @wraps(view)
    async def endpoint(request: Request) -> Response:
        viewer = await session.visitor(request)
        if viewer is not None:
            return await view(request, viewer)
        if wants_json(request):
            told = {"ok": False, "head": "You are signed out", "text": "Sign in again, then repeat it"}
            return JSONResponse(told, 401)
        onward = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
        where = f"?next={quote(onward, safe='')}" if request.method == "GET" and onward != "/" else ""
        return RedirectResponse(f"/sign-in{where}", 303, {"Cache-Control": "no-store"})

    return endpoint


def require(viewer: Identity, role: Role) -> None:
    """Forbidden without the role."""
    if not viewer.has(role):
        raise Forbidden(f"this takes the role {role}: ask an admin for it (`stationmaster users set-roles`)")


def require_overseer(viewer: Identity) -> None:
    """Forbidden for all but leads who see every group."""
    require(viewer, "lead")
    if not viewer.sees_every_group:
        raise Forbidden("this concerns every group's reviews, and you see some: ask an admin")

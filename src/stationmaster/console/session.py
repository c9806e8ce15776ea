"""Who is asking: the session cookie or the bearer token of a request, and that a form came from our own page."""

import hashlib
import hmac
from collections.abc import Awaitable, Callable
from typing import TypeAlias
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import HTTPConnection, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from stationmaster.console import local
from stationmaster.console.services import services
from stationmaster.reviews.access import sessions, signing_in
from stationmaster.reviews.access.errors import NotSignedIn
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.errors import Forbidden

NAME = "stationmaster_session"
# A browser keeps a cookie of this name only if it came over https, from this host itself, for all paths.
SECURE_NAME = f"__Host-{NAME}"
CSRF_HEADER = "x-csrf-token"
Refuse: TypeAlias = Callable[[Request, Forbidden], Awaitable[Response]]
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})


class CrossSite(Forbidden):
    """A request that changes something, sent by another site's page with our user's cookie."""

    code = "cross_site"


async def identity(request: HTTPConnection) -> Identity:
    """Who is asking. NotSignedIn without a credential, or with one that is wrong, whatever else was sent."""
    kept = getattr(request.state, "identity", None)
    if kept is None:
        kept = request.state.identity = await _identified(request)
    return kept


async def visitor(request: HTTPConnection) -> Identity | None:
    """The same, or None for somebody who is not signed in."""
    try:
        return await identity(request)
    except NotSignedIn:
        return None


async def fresh(request: HTTPConnection) -> Identity:
    """Asked again: whoever listens for hours may have been signed out meanwhile."""
    return await _identified(request)


async def _identified(request: HTTPConnection) -> Identity:
    pool = services(request).pool
    sent = request.headers.get("authorization")
    if sent is not None:
        scheme, _, token = sent.partition(" ")
        if scheme.lower() != "bearer" or not token.strip():
            raise NotSignedIn("send a token as `Authorization: Bearer ...`, or sign in with a browser")
        if found := local.operator(services(request).settings, request, token.strip()):
            return found
        return await signing_in.by_token(pool, token.strip(), address=address(request))
    if cookie := session_secret(request):
        return await signing_in.by_session(pool, cookie)
    raise NotSignedIn("sign in first, or send a token as `Authorization: Bearer ...`")


def session_secret(request: HTTPConnection) -> str | None:
    """What the session cookie holds."""
    return request.cookies.get(_cookie_name(request))


def address(request: HTTPConnection) -> str:
    """Where the request comes from, as the HTTP server says, which may believe a proxy in front of it."""
    return request.client.host if request.client else "unknown"


async def sign_in(request: Request, response: Response, user: str, *, via: str) -> None:
    """A new session for the user in a cookie of the response; the one that the browser had ends."""
    at_hand = services(request)
    made = await sessions.start(
        at_hand.pool, user, hours=at_hand.settings.session_hours, address=address(request),
        agent=request.headers.get("user-agent", ""), replaces=session_secret(request), via=via,
    )  # fmt: skip
    response.set_cookie(
        _cookie_name(request), made, max_age=int(at_hand.settings.session_hours * 3600), path="/",
        httponly=True, secure=is_secure(request), samesite="lax",
    )  # fmt: skip


async def sign_out(request: Request, response: Response, *, everywhere: bool) -> None:
    """The session ends, or all of the user's."""
    pool = services(request).pool
    who = await visitor(request)
    if everywhere and who is not None:
        await sessions.end_all(pool, who.name)
    elif cookie := session_secret(request):
        await sessions.end(pool, cookie)
    response.delete_cookie(
        _cookie_name(request), path="/", httponly=True, secure=is_secure(request), samesite="lax"
    )


def csrf_token(request: HTTPConnection) -> str:
    """For scripts of our pages, to be sent as X-CSRF-Token; made of the session, so there is nothing to keep."""
    secret = session_secret(request) or ""
    return hmac.new(secret.encode(), b"csrf", hashlib.sha256).hexdigest() if secret else ""


def is_secure(request: HTTPConnection) -> bool:
    """Whether the browser speaks https, to us or to the proxy in front that PUBLIC_URL names."""
    public = services(request).public_url
    return request.url.scheme == "https" or (public is not None and public.startswith("https://"))


def _cookie_name(request: HTTPConnection) -> str:
    return SECURE_NAME if is_secure(request) else NAME


class SameSiteOnly:
    """Refuses what changes something unless the browser says that our own page sent it (CrossSite).

    A token in Authorization is sent by no browser on its own, so that such requests pass; and so does whatever
    carries neither a cookie nor an Origin, which no browser has sent.
    """

    def __init__(self, app: ASGIApp, *, refuse: Refuse) -> None:
        self.app = app
        self.refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] not in SAFE_METHODS:
            request = Request(scope)
            if "authorization" not in request.headers and not _from_our_page(request):
                refused = CrossSite("another site's page sent this: open the console itself and do it there")
                await (await self.refuse(request, refused))(scope, receive, send)
                return
        await self.app(scope, receive, send)


def _from_our_page(request: Request) -> bool:
    headers = request.headers
    if "origin" in headers:
        return headers["origin"] in _origins(request)
    if "sec-fetch-site" in headers:
        return headers["sec-fetch-site"] in {"same-origin", "none"}
    if session_secret(request) is None:
        return True
    if sent := headers.get(CSRF_HEADER):
        return hmac.compare_digest(sent.encode(), csrf_token(request).encode())
    return _referrer(headers) in _origins(request)


def _origins(request: Request) -> set[str]:
    """Our own: as the request was addressed, and as PUBLIC_URL says."""
    public = services(request).public_url
    return {f"{request.url.scheme}://{request.headers.get('host', '')}"} | ({public} if public else set())


def _referrer(headers: Headers) -> str:
    parts = urlsplit(headers.get("referer", ""))
    return f"{parts.scheme}://{parts.netloc}"

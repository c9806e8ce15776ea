"""What every response carries for the browser's safety, and how large a request may be."""

from collections.abc import Awaitable, Callable

from starlette.datastructures import MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Scripts, styles and pictures are our own files; nothing inline, nothing from elsewhere, no frame around us.
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Paths hold one-time secrets: they go to no other site.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}
# The receiver has a limit of its own, and counts what exceeds it.
OWN_LIMIT = "/webhooks/"
MAX_BODY = 5 * 1024 * 1024


class SecurityHeaders:
    """Adds them where a route hasn't set its own; over https also that it shall stay https."""

    def __init__(self, app: ASGIApp, *, https: bool) -> None:
        self.app = app
        self.headers = dict(SECURITY_HEADERS)
        if https:
            self.headers["Strict-Transport-Security"] = "max-age=31536000"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    present.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with if scope["type"] == "http" else send)


class SizeLimit:
    """413 for a larger body, declared or not, before more of it is read."""

    def __init__(
        self, app: ASGIApp, *, refuse: Callable[[Request, HTTPException], Awaitable[Response]]
    ) -> None:
        self.app = app
        self.refuse = refuse

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["path"].startswith(OWN_LIMIT):
            await self.app(scope, receive, send)
            return
        declared = Request(scope).headers.get("content-length", "")
        if declared.isdigit() and int(declared) > MAX_BODY:
            await (await self.refuse(Request(scope), _too_large()))(scope, receive, send)
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > MAX_BODY:
                raise _too_large()
            return message

        await self.app(scope, counted, send)


def _too_large() -> HTTPException:
    megabytes = MAX_BODY // (1024 * 1024)
    return HTTPException(413, f"a request has {megabytes} MB at most: send less")

"""ASGI middleware that stands before the stock server: closed paths, and the admission of each request."""

from posixpath import normpath
from urllib.parse import unquote

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocketClose

from stationmaster.server.admission import NotAdmitted, Policy, admit

# `/internal/truncate` wipes the in-memory server without asking, `/deploy` starts a cloud deployment.
CLOSED_PREFIXES = ("internal", "deploy")
HEALTH = "/ok"
# The stock API's description: a browser that opens it can send no key, and it tells nothing of this server.
DESCRIPTION = frozenset({"/docs", "/openapi.json"})


class ClosedPaths:
    """404 for what no client needs, however it is spelled: encoded, doubled slashes, dots, trailing parts."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in {"http", "websocket"} and is_closed(scope):
            await _refuse(scope, receive, send, 404, "Not Found")
        else:
            await self.app(scope, receive, send)


class Admission:
    """401 for a request that `admit` refuses; calls from inside the process (the SDK's loopback) pass."""

    def __init__(self, app: ASGIApp, policy: Policy) -> None:
        self.app = app
        self.policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if self._asks(scope):
            try:
                admit(scope, self.policy)
            except NotAdmitted as refusal:
                await _refuse(scope, receive, send, 401, str(refusal))
                return
        await self.app(scope, receive, send)

    def _asks(self, scope: Scope) -> bool:
        if scope["type"] == "websocket":
            return not _is_in_process(scope)
        if scope["type"] != "http" or _is_in_process(scope):
            return False
        path = _below_mount(scope)
        return path != HEALTH and (self.policy.open_on_loopback or path not in DESCRIPTION)


def is_closed(scope: Scope) -> bool:
    """Whether the path, seen from the root or from below a mount prefix, leads to a closed one."""
    return any(
        _plain(path).lstrip("/").startswith(CLOSED_PREFIXES) for path in (scope["path"], _below_mount(scope))
    )


def _plain(path: str) -> str:
    """A path as the most lenient router would read it: decoded to the end, no dots, lower case."""
    decoded = unquote(path)
    while decoded != path:
        path, decoded = decoded, unquote(decoded)
    return normpath("/" + path.replace("\\", "/")).lower()


def _below_mount(scope: Scope) -> str:
    """The path without the prefix under which the app is mounted, if the path holds it."""
    path, root_path = scope["path"], scope.get("root_path", "")
    below = path.removeprefix(root_path)
    return below if below.startswith("/") or not below else path


def _is_in_process(scope: Scope) -> bool:
    """The stock server's mark for calls through its ASGI transport; a request over the wire cannot set it."""
    root_path = scope.get("root_path", "")
    return root_path == "/noauth" or root_path.startswith("/noauth/")


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, reason: str) -> None:
    if scope["type"] == "websocket":
        await WebSocketClose(code=1008, reason=reason[:120])(scope, receive, send)
        return
    await JSONResponse({"detail": reason}, status_code=status)(scope, receive, send)

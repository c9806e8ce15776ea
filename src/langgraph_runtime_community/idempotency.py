"""The wrapper that `serve` puts round the stock app: `Idempotency-Key` on requests that make a run.

The same key with the same request gives the same run. The request goes to the server as it came, so that its auth
judges it; where the run is accepted (ops/guards.py) the key turns out to be known, and the wrapper asks the server
for that run instead: to get, to join or to stream it, as the same caller.
"""

import hashlib
import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from langgraph_runtime_community.ops.keys import KEYED, Keyed
from langgraph_runtime_community.signing import Signed, refuse

Message = MutableMapping[str, Any]
Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

HEADER = b"idempotency-key"
LONGEST = 255
FROM = b"last-event-id"
OFFERS = (b"x-stationmaster-offers", b"conditional-resume, idempotency-key, assistant-signatures")
"""On the answer of `/info`: what this server takes beyond the stock one."""
MAKES_A_RUN = re.compile(r"(?P<prefix>.*?)(?:/threads/[^/]+)?/runs(?P<how>/wait|/stream|/batch)?/?")
CONFLICT = 409


class Idempotent:
    """An ASGI app round another."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Requests without a key pass as they are."""
        http = scope["type"] == "http"
        keys = [value for name, value in scope["headers"] if name.lower() == HEADER] if http else []
        made = MAKES_A_RUN.fullmatch(scope["path"]) if keys and scope["method"] == "POST" else None
        if made is None:
            says = http and scope["path"].endswith("/info")
            await self._app(scope, receive, _saying(send) if says else send)
        elif why := _wrong(keys, made["how"]):
            await refuse(send, why)
        else:
            await self._once(keys[0].decode("ascii"), made, scope, receive, send)

    async def _once(self, key: str, made: re.Match[str], scope: Scope, receive: Receive, send: Send) -> None:
        body = _Read(scope["path"], receive)
        keyed = Keyed(key, body)
        token = KEYED.set(keyed)
        held = _Held(keyed, send)
        try:
            await self._app(scope, body.receive, held.send)
        finally:
            KEYED.reset(token)
        if keyed.known is None:
            return
        thread_id, run_id = keyed.known
        here = f"{made['prefix']}/threads/{thread_id}/runs/{run_id}"
        again = _get(scope, here + {"/wait": "/join", "/stream": "/stream"}.get(made["how"] or "", ""))
        await self._app(again, _NoBody(receive).receive, _replayed(send, here))


class _Read:
    """The request's body as it passes by, hashed with its path."""

    def __init__(self, path: str, receive: Receive) -> None:
        self._receive, self._hash = receive, hashlib.sha256(path.encode() + b"\n")

    async def receive(self) -> Message:
        message = await self._receive()
        self._hash.update(message.get("body", b""))
        return message

    def digest(self) -> str:
        """Of what has been read: all of it, where the run is accepted."""
        return self._hash.hexdigest()


class _Held:
    """An answer, kept back where it is the conflict that the wrapper answers itself."""

    def __init__(self, keyed: Keyed, send: Send) -> None:
        self._keyed, self._send, self._passes = keyed, send, True

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._passes = self._keyed.known is None or message["status"] != CONFLICT
            if self._passes:
                self._keyed.known = None  # the server has begun another answer, which stands
        if self._passes:
            await self._send(message)


class _NoBody:
    """A request without a body; afterwards the client's going away."""

    def __init__(self, receive: Receive) -> None:
        self._receive, self._told = receive, False

    async def receive(self) -> Message:
        if not self._told:
            self._told = True
            return {"type": "http.request", "body": b"", "more_body": False}
        return await self._receive()


def _get(scope: Scope, path: str) -> Scope:
    """The same caller's request for a run that is there; a stream with all that is kept of it."""
    without = {HEADER, FROM, b"content-length", b"content-type", b"transfer-encoding"}
    headers = [(name, value) for name, value in scope["headers"] if name.lower() not in without]
    headers += [(FROM, b"-")] if path.endswith("/stream") else []
    fresh = {
        name: scope[name]
        for name in ("type", "asgi", "http_version", "scheme", "client", "server", "root_path", "extensions", "state")
        if name in scope
    }  # fmt: skip
    return {
        **fresh, "method": "GET", "path": path, "raw_path": path.encode(), "query_string": b"", "headers": headers
    }  # fmt: skip


def _replayed(send: Send, here: str) -> Send:
    """Says of an answer that it repeats one, and where the run is, as the first did."""

    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            kept = [
                (name, value) for name, value in message["headers"] if name.lower() != b"content-location"
            ]
            more = [(b"content-location", here.encode()), (b"idempotent-replayed", b"true")]
            message = {**message, "headers": [*kept, *more]}
        await send(message)

    return told


def _saying(send: Send) -> Send:
    async def told(message: Message) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message["headers"], OFFERS]}
        await send(message)

    return told


def _wrong(keys: list[bytes], how: str | None) -> str | None:
    """Why a key can't be used; None if it can."""
    if how == "/batch":
        return "Idempotency-Key stands for one run: send the runs of a batch one by one, each with its key"
    if len(keys) != 1 or not 0 < len(keys[0]) <= LONGEST or not keys[0].decode("latin-1").isprintable():
        return f"Idempotency-Key must be one value of 1 to {LONGEST} printable characters"
    return None if keys[0].isascii() else "Idempotency-Key must be ASCII"


def create_app() -> App:
    """The stock app with the wrappers round it, for `uvicorn --factory`."""
    from langgraph_api.server import app

    return Idempotent(Signed(app))

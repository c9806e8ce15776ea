"""The wrapper round the app that hands headers of a change to an assistant to the place where it is made.

`X-Stationmaster-Expected-Version`, `X-Stationmaster-Author`, `X-Stationmaster-Reason`: a change of the current version
has no metadata in which it could say so.
"""

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from langgraph_runtime_community.ops.signatures import AUTHOR, EXPECTED, HEADERS, LONGEST, REASON, Signature

App = Callable[
    [
        MutableMapping[str, Any],
        Callable[[], Awaitable[MutableMapping[str, Any]]],
        Callable[[MutableMapping[str, Any]], Awaitable[None]],
    ],
    Awaitable[None],
]
PREFIX = b"x-stationmaster-"
NAMES = {EXPECTED: b"expected-version", AUTHOR: b"author", REASON: b"reason"}
CHANGES = re.compile(r".*/assistants/[^/]+(?:/latest)?/?")


class Signed:
    """An ASGI app round another."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Requests without these headers pass as they are; 422 for one that is malformed."""
        if scope["type"] != "http" or not CHANGES.fullmatch(scope["path"]):
            return await self._app(scope, receive, send)
        given = {name.lower(): value for name, value in scope["headers"]}
        said = {name: given[PREFIX + header] for name, header in NAMES.items() if PREFIX + header in given}
        try:
            signature = _signature({name: value.decode() for name, value in said.items()})
        except ValueError as error:
            return await refuse(send, str(error))
        token = HEADERS.set(signature)
        try:
            await self._app(scope, receive, send)
        finally:
            HEADERS.reset(token)


def _signature(said: dict[str, str]) -> Signature:
    """ValueError, which says what is wrong."""
    expected = said.get(EXPECTED)
    if expected is not None and (not expected.isdecimal() or int(expected) < 1):
        raise ValueError("X-Stationmaster-Expected-Version must be the number of a version")
    for name, longest in LONGEST.items():
        if len(said.get(name, "")) > longest:
            raise ValueError(f"{(PREFIX + NAMES[name]).decode()} must have at most {longest} characters")
    return Signature(int(expected) if expected else None, said.get(AUTHOR) or None, said.get(REASON) or None)


async def refuse(send: Any, why: str) -> None:
    """422, as the server says it."""
    from langgraph_api.serde import json_dumpb

    body = json_dumpb({"detail": why})
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": 422, "headers": headers})
    await send({"type": "http.response.body", "body": body})

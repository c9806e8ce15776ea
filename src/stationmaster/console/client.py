"""A client of a console's JSON API, for commands: what it refuses comes back as an error that says who and when."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from typing import Any

import httpx

from stationmaster.errors import StationmasterError
from stationmaster.reviews import json_text

TIMEOUT_S = 30.0
PAGE = 200
LOOK_S, LONGEST_LOOK_S = 0.1, 1.0
TAKEN = frozenset({"consumed", "finished", "failed"})
"""States of a review whose answer the graph has."""


class ConsoleAway(StationmasterError):
    """No console answers there."""


class NotLetIn(StationmasterError):
    """The console does not take the credential, or it opens too little."""


class NoSuchReview(StationmasterError):
    """Nothing of that id is in scope."""


class Refused(StationmasterError):
    """The console understood and refused; `problem` is what it said (code, detail, by, at, ...)."""

    exit_code = 3

    def __init__(self, problem: Mapping[str, Any]) -> None:
        super().__init__(str(problem.get("detail") or problem))
        self.problem = dict(problem)


@dataclass(frozen=True)
class ConsoleTarget:
    """A console's base URL and the token to send: a user's, or the key of the console of this data directory."""

    url: str
    token: str = field(repr=False)


@dataclass(frozen=True)
class ConsoleClient:
    """`http` speaks to /api/v1 of a console. Reviews are what its OpenAPI calls ReviewOut and ReviewDetail."""

    http: httpx.AsyncClient

    async def get(self, path: str, **parameters: Any) -> Any:
        """Any GET of the API; parameters that are None are left out."""
        sent = {name: value for name, value in parameters.items() if value is not None}
        return json_text.read((await self._send("GET", path, params=sent)).text)

    async def reviews(self, tab: str, *, most: int | None = None, **filters: Any) -> list[dict[str, Any]]:
        """A tab of the list, all pages of it or the first `most` reviews."""
        found: list[dict[str, Any]] = []
        cursor: str | None = None
        while most is None or len(found) < most:
            limit = PAGE if most is None else min(PAGE, most - len(found))
            page = await self.get("/reviews", tab=tab, cursor=cursor, limit=limit, **filters)
            found += page["reviews"]
            cursor = page["next"]
            if cursor is None:
                break
        return found

    async def decide(self, review_id: str, decision: str, **body: Any) -> dict[str, Any]:
        """Answer, without a window to undo it: `fields`, or `answer` as a whole, and `reason`. Refused."""
        sent = {"decision": decision, "undo_s": 0, **body}
        return json_text.read((await self._send("POST", f"/reviews/{review_id}/decide", json=sent)).text)

    async def post(self, path: str, body: Any = None) -> Any:
        """Any POST of the API. Refused."""
        return json_text.read((await self._send("POST", path, json=body)).text)

    async def settled(self, review_id: str, timeout_s: float) -> dict[str, Any]:
        """The review once its answer was taken or came to nothing, or as it is after `timeout_s`."""
        deadline, pause = time.monotonic() + timeout_s, LOOK_S
        while True:
            review = await self.get(f"/reviews/{review_id}")
            moving = review["state"] in ("decided", "sent") and not review["needs_person"]
            if not moving or time.monotonic() > deadline:
                return review
            await asyncio.sleep(pause)  # between two looks at the state that is waited for
            pause = min(pause * 1.5, LONGEST_LOOK_S)

    @asynccontextmanager
    async def lines(self, path: str) -> AsyncIterator[AsyncIterator[str]]:
        """The lines of an export as they come, each with its end."""
        with _away(str(self.http.base_url)):
            async with self.http.stream("GET", path) as response:
                if response.is_error:
                    await response.aread()
                    _raise_for(response)
                yield _with_ends(response)

    async def _send(self, method: str, path: str, **what: Any) -> httpx.Response:
        with _away(str(self.http.base_url)):
            response = await self.http.request(method, path, **what)
        _raise_for(response)
        return response


@asynccontextmanager
async def open_client(target: ConsoleTarget) -> AsyncIterator[ConsoleClient]:
    """A client, for as long as the block lasts."""
    headers = {"Authorization": f"Bearer {target.token}"}
    async with httpx.AsyncClient(
        base_url=f"{target.url}/api/v1", headers=headers, timeout=TIMEOUT_S, trust_env=False
    ) as http:
        yield ConsoleClient(http)


@contextmanager
def _away(base_url: str) -> Iterator[None]:
    """What the network says, in our words."""
    try:
        yield
    except httpx.TransportError as error:
        url = base_url.rstrip("/").removesuffix("/api/v1")
        raise ConsoleAway(
            f"no console answers at {url} ({error or type(error).__name__}): start one with `stationmaster up`, "
            "or `stationmaster console` for a server elsewhere"
        ) from None


def _raise_for(response: httpx.Response) -> None:
    if not response.is_error:
        return
    try:
        problem = response.json()
    except ValueError:
        problem = {"detail": f"{response.request.url} answered {response.status_code}: is it a console?"}
    said = str(problem.get("detail"))
    match response.status_code:
        case httpx.codes.UNAUTHORIZED:
            raise NotLetIn(f"the console does not let you in: {said}")
        case httpx.codes.NOT_FOUND:
            raise NoSuchReview(said)
        case status if status < httpx.codes.INTERNAL_SERVER_ERROR:
            raise Refused(problem)
        case status:
            raise ConsoleAway(f"the console answered {status} ({said}): see its log")


async def _with_ends(response: httpx.Response) -> AsyncIterator[str]:
    async for line in response.aiter_lines():
        yield f"{line}\n"

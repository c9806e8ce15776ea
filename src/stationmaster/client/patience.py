"""How long a server may be away, and the pauses between tries."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import httpx
from langgraph_sdk.errors import InternalServerError, RateLimitError

from stationmaster.client.errors import ServerAway

PASSING = (httpx.TransportError, RateLimitError, InternalServerError)
"""Errors of the SDK that a restart, a deploy or a bad line explain."""

Tell = Callable[[str], None]
"""Is told in a sentence what goes wrong and right on the way to the server."""


@dataclass(frozen=True)
class Limits:
    """Seconds. `away_s`: how long the server may be away before ServerAway; it counts anew with each sign of life.
    `silent_s`: without a byte for so long a stream is dead (the server sends a heartbeat every five seconds).
    `answer_s`: for an answer to begin, connecting included: the SDK alone tries to connect for 15 seconds and waits
    five minutes for an answer. `pause_s`: the longest pause between two tries. `late_s`: how long a run is looked for
    whose answer was lost, since a server goes on with what a proxy has given up.
    """

    away_s: float = 30.0
    silent_s: float = 20.0
    answer_s: float = 5.0
    pause_s: float = 2.0
    late_s: float = 10.0

    @property
    def streaming(self) -> httpx.Timeout:
        """For the connection of a stream."""
        return httpx.Timeout(self.silent_s, connect=self.answer_s)


@asynccontextmanager
async def within(seconds: float) -> AsyncIterator[None]:
    """Raise httpx.ReadTimeout when the block takes longer."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        raise httpx.ReadTimeout(f"no answer within {seconds:g} s") from error


@dataclass
class Patience:
    """Counts one absence of the server. `doing` completes the sentence "the server is away while ...", `after` says
    what to do then."""

    limits: Limits
    doing: str
    after: str
    tell: Tell | None = None
    _since: float | None = None
    _pause: float = field(default=0.1)

    def restored(self) -> None:
        """The server gave a sign of life."""
        if self._since is not None and self.tell:
            self.tell("connected again")
        self._since, self._pause = None, 0.1

    async def lost(self, error: Exception) -> None:
        """Wait before the next try; ServerAway when it was away too long."""
        now = time.monotonic()
        if self._since is None:
            self._since = now
            if self.tell:
                self.tell(f"connection lost ({named(error)}); trying again for {self.limits.away_s:.0f} s")
        if now - self._since >= self.limits.away_s:
            raise ServerAway(
                f"the server was away for {self.limits.away_s:.0f} s while {self.doing} ({named(error)}): {self.after}"
            ) from error
        # Not all clients of a server that restarts should come back in the same moment.
        await asyncio.sleep(self._pause * random.uniform(0.75, 1.25))  # noqa: S311
        self._pause = min(self._pause * 2, self.limits.pause_s)


def named(error: Exception) -> str:
    """An error's text, or its name: those of a cut connection often have no text."""
    return str(error) or type(error).__name__

"""Time for stories that last longer than a test may: a clock that is turned on, and the real one in a hurry.

Nothing is asked of the time but `now()` and `sleep()`, both in seconds of the story.
"""

import asyncio
import time
from collections.abc import Coroutine
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import count
from typing import Any, Protocol


class Clock(Protocol):
    def now(self) -> float: ...

    async def sleep(self, seconds: float) -> None: ...

    async def together(self, *jobs: Coroutine[Any, Any, None]) -> None:
        """All of them at once; they end when the last one does."""
        ...


@dataclass
class Turned:
    """Goes on to the next waking only when everybody waits: true lengths without waiting, the same order each time.

    What is done between two waits (a call over HTTP) takes no time of the story.
    """

    _now: float = 0.0
    _awake: int = 0
    _sleeping: list[tuple[float, int, asyncio.Future[None]]] = field(default_factory=list)
    _numbers: count = field(default_factory=count)

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        heappush(self._sleeping, (self._now + seconds, next(self._numbers), woken))
        self._rests()
        await woken

    async def together(self, *jobs: Coroutine[Any, Any, None]) -> None:
        self._awake += len(jobs)
        await asyncio.gather(*map(self._through, jobs))

    async def _through(self, job: Coroutine[Any, Any, None]) -> None:
        try:
            await job
        finally:
            self._rests()

    def _rests(self) -> None:
        self._awake -= 1
        if self._awake == 0 and self._sleeping:
            self._now, _, woken = heappop(self._sleeping)
            self._awake = 1
            woken.set_result(None)


@dataclass
class Hurried:
    """The real clock, `times` as fast: 60 of its seconds pass in one, if `times` is 60."""

    times: float
    _began: float = field(default_factory=time.monotonic)

    def now(self) -> float:
        return (time.monotonic() - self._began) * self.times

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds / self.times)

    async def together(self, *jobs: Coroutine[Any, Any, None]) -> None:
        await asyncio.gather(*jobs)

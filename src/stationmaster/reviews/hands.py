"""The answers that a worker has in hand at once. Some hands are kept from those that could not be delivered before: a
server that fails slowly holds each of them up, and fresh answers don't wait for that."""

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from stationmaster.reviews.deliver import take
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.supervising import pause


@dataclass
class Hands:
    """`work` takes one answer further, and raises nothing. `answers` at once, `undelivered` of them at most such whose
    last try failed."""

    desk: Desk
    work: Callable[[Desk, str], Coroutine[Any, Any, None]]
    answers: int
    undelivered: int
    _fresh: dict[asyncio.Task[None], str] = field(default_factory=dict)
    _failed: dict[asyncio.Task[None], str] = field(default_factory=dict)

    def held(self) -> list[str]:
        """The ids of those that are not done."""
        return [review_id for task, review_id in self._all().items() if not task.done()]

    async def fill(self) -> bool:
        """Take what is due into the hands that are free: fresh ones first. False if nothing was taken."""
        self._put_down()
        free = self.answers - len(self._all())
        fresh = await take(self.desk, free, failed=False) if free else []
        self._begin(self._fresh, fresh)
        free = min(free - len(fresh), self.undelivered - len(self._failed))
        failed = await take(self.desk, free, failed=True) if free > 0 else []
        self._begin(self._failed, failed)
        return bool(fresh or failed)

    async def any_done(self, stop: asyncio.Event, seconds: float) -> None:
        """Until a hand is free, `seconds` are over, or it is time to stop."""
        if tasks := self._all():
            await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        else:
            await pause(stop, seconds)

    async def all_done(self) -> None:
        """Until nothing is in hand any more."""
        if tasks := self._all():
            await asyncio.wait(tasks)

    def _begin(self, hands: dict[asyncio.Task[None], str], taken: list[str]) -> None:
        hands.update({asyncio.create_task(self.work(self.desk, one)): one for one in taken})

    def _put_down(self) -> None:
        for hands in (self._fresh, self._failed):
            for task in [task for task in hands if task.done()]:
                del hands[task]

    def _all(self) -> dict[asyncio.Task[None], str]:
        return {**self._fresh, **self._failed}

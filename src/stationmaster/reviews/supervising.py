"""Loops that go on: one that fails is started again after a pause that doubles, and what happened can be read."""

import asyncio
import contextlib
import logging
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime

logger = logging.getLogger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 60.0
STEADY_S = 120.0
"""Having run for so long, a loop starts with the first pause again when it fails."""


@dataclass(frozen=True)
class Trouble:
    """A loop that has failed: how often, of what (the error's name; its text is in the log), when it last did.

    It stands still until `again_at`; None when it runs again.
    """

    loop: str
    failures: int
    error: str
    at: datetime
    again_at: datetime | None


@dataclass
class Health:
    """What became of the loops of this process, for `/healthz` and the operators' page."""

    _troubles: dict[str, Trouble] = field(default_factory=dict)

    @property
    def troubles(self) -> tuple[Trouble, ...]:
        """Every loop that has failed since the start."""
        return tuple(self._troubles.values())

    @property
    def down(self) -> tuple[str, ...]:
        """The loops that stand still."""
        return tuple(trouble.loop for trouble in self.troubles if trouble.again_at is not None)

    def failed(self, loop: str, error: Exception, again_at: datetime) -> None:
        before = self._troubles.get(loop)
        failures = before.failures + 1 if before else 1
        self._troubles[loop] = Trouble(loop, failures, type(error).__name__, datetime.now(UTC), again_at)

    def started(self, loop: str) -> None:
        if known := self._troubles.get(loop):
            self._troubles[loop] = Trouble(known.loop, known.failures, known.error, known.at, None)


class EndedByItself(RuntimeError):
    """A loop returned although nobody had asked it to stop."""


async def keep(loop: str, work: Callable[[], Awaitable[None]], stop: asyncio.Event, health: Health) -> None:
    """Run `work` until `stop` is set, again and again if need be; its failure is in the log and in `health`."""
    pause_s = FIRST_PAUSE_S
    while not stop.is_set():
        health.started(loop)
        began = time.monotonic()
        try:
            await _whole(loop, work, stop)
        except Exception as error:
            if time.monotonic() - began > STEADY_S:
                pause_s = FIRST_PAUSE_S
            logger.exception("%s failed, and starts again in %.0f s", loop, pause_s)
            health.failed(loop, error, datetime.fromtimestamp(time.time() + pause_s, UTC))
            await pause(stop, pause_s)
            pause_s = min(pause_s * 2, LONGEST_PAUSE_S)


async def _whole(loop: str, work: Callable[[], Awaitable[None]], stop: asyncio.Event) -> None:
    await work()
    if not stop.is_set():
        raise EndedByItself(loop)


async def pause(stop: asyncio.Event, seconds: float) -> None:
    """Wait, but not longer than until `stop` is set."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await stop.wait()

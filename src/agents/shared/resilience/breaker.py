"""A circuit breaker for one outside service, shared by every thread and process.

Closed: calls pass; 5 transient failures in a row open it. Open: calls fail at once with BreakerOpen. After
the cooldown exactly one call is let through as a probe; its success closes the breaker, its failure starts
the cooldown anew. A failure that is not transient proves nothing about the service: it neither counts nor
closes, and a probe that ends so, or is cancelled, gives its turn back. A probe whose process died loses its
turn when `probe_s` has passed.
"""

import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import psycopg

from agents.shared.database import DatabaseNotConfigured, DatabaseUnavailable
from agents.shared.errors import in_full
from agents.shared.resilience.in_database import DatabaseKeeper
from agents.shared.resilience.in_process import ProcessKeeper
from agents.shared.resilience.passage import THRESHOLDS, BreakerOpen, Keeper, Passage, Thresholds
from agents.shared.resilience.transient import is_transient

__all__ = ["BreakerOpen", "Thresholds", "breaker"]

_log = logging.getLogger(__name__)
_DATABASE_TROUBLE = (DatabaseNotConfigured, DatabaseUnavailable, psycopg.OperationalError)


@dataclass
class Keepers:
    """The database, and this process for as long as the database is away.

    Asking a database that is away takes seconds each time, so it is left out for `pause_s` after a failure.
    """

    shared: Keeper = field(default_factory=DatabaseKeeper)
    own: Keeper = field(default_factory=ProcessKeeper)
    pause_s: float = 5.0
    _shared_again_at: float = 0.0

    async def admit(self, name: str, thresholds: Thresholds) -> tuple[Keeper, Passage]:
        """Leave to call, with the keeper that wants to hear how it went; BreakerOpen while open."""
        if time.monotonic() >= self._shared_again_at:
            try:
                return self.shared, await self.shared.admit(name, thresholds)
            except _DATABASE_TROUBLE as exc:
                self._leave_out(exc)
        return self.own, await self.own.admit(name, thresholds)

    async def report(
        self, keeper: Keeper, passage: Passage, failure: BaseException | None, thresholds: Thresholds
    ) -> None:
        """Tell the keeper; a database that went away meanwhile must not turn a good call into a failed one."""
        try:
            if failure is None:
                await keeper.succeeded(passage)
            elif is_transient(failure):
                await keeper.failed(passage, thresholds)
            elif passage.probe is not None:
                await keeper.gave_up(passage)
        except _DATABASE_TROUBLE as exc:
            self._leave_out(exc)
            await self.report(self.own, Passage(passage.name), failure, thresholds)

    def _leave_out(self, exc: Exception) -> None:
        if isinstance(exc, DatabaseNotConfigured):
            return  # known at once, and may change at any moment while a process is put together
        self._shared_again_at = time.monotonic() + self.pause_s
        _log.warning("breakers are kept in this process for %.0f s: %s", self.pause_s, in_full(exc))


_KEEPERS = Keepers()


@asynccontextmanager
async def breaker(
    name: str, thresholds: Thresholds = THRESHOLDS, keepers: Keepers = _KEEPERS
) -> AsyncIterator[None]:
    """Stand before every single call to the service `name`: inside `retrying`, so that each try counts.

    Raises BreakerOpen instead of running the block while the breaker is open.
    """
    keeper, passage = await keepers.admit(name, thresholds)
    try:
        yield
    except BaseException as exc:
        await keepers.report(keeper, passage, exc, thresholds)
        raise
    await keepers.report(keeper, passage, None, thresholds)

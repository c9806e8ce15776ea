"""What became of runs: open ticks are looked at until they have ended. A webhook is not needed, state is read."""

import logging
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

from stationmaster.crons import history
from stationmaster.crons.errors import HistoryAway
from stationmaster.crons.model import Tick
from stationmaster.crons.server import CronServer
from stationmaster.crons.standing import Seen, look
from stationmaster.errors import StationmasterError
from stationmaster.reviews.database import Connection

Connections: TypeAlias = Callable[[], AbstractAsyncContextManager[Connection]]
"""One transaction a block; HistoryAway while the database is away."""

MADE_WITHIN = timedelta(seconds=30)
"""A tick is noted before the server makes its run: so long a run that is not there may still come."""
SHORTEST_S, LONGEST_S = 1.0, 60.0
BATCH = 50

logger = logging.getLogger(__name__)


async def settle_due(server: CronServer, connections: Connections, most: int = BATCH) -> int:
    """Look at the open ticks whose time it is; how many those were. A thread that can't be read stops no other."""
    async with connections() as conn:
        ticks = await history.due(conn, most)
    for tick in ticks:
        await try_settle(server, connections, tick)
    return len(ticks)


async def settle_all(server: CronServer, connections: Connections, ticks: Sequence[Tick]) -> list[Tick]:
    """Look at these open ticks now; those that are still open. One whose thread can't be read counts as it was."""
    settled = [(await try_settle(server, connections, tick))[0] for tick in ticks]
    return [tick for tick in settled if tick.ended_at is None]


async def try_settle(server: CronServer, connections: Connections, tick: Tick) -> tuple[Tick, str | None]:
    """A tick as it is now if it is open; else, or if its thread can't be read, as it was, and then why."""
    if not history.is_open(tick):
        return tick, None
    try:
        return await settle(server, connections, tick), None
    except HistoryAway:
        raise
    except StationmasterError as error:
        logger.warning("the run of cron %s, tick %s: %s", tick.cron, tick.id, error)
        return tick, str(error)


async def settle(server: CronServer, connections: Connections, tick: Tick) -> Tick:
    """Look at one open tick, write what was seen; the tick as it is now."""
    seen = await look(server, tick)
    age = datetime.now(UTC) - tick.at
    if seen is None or (seen.outcome == "lost" and age < MADE_WITHIN):
        if age < MADE_WITHIN:
            return tick
        seen = Seen("lost", "the server did not make its run, or lost it: see its log")
    pause_s = min(max(age.total_seconds() / 20, SHORTEST_S), LONGEST_S)
    async with connections() as conn:
        return await history.settle(
            conn, tick, seen.outcome, reason=seen.reason, thread_id=seen.thread_id, pause_s=pause_s
        ) or tick  # fmt: skip

"""Threads that crons made for themselves go once they were kept long enough; never one that waits for a person."""

import logging
from datetime import UTC, datetime, timedelta

from stationmaster.crons import history
from stationmaster.crons.model import Tick
from stationmaster.crons.server import CronServer
from stationmaster.crons.settling import Connections
from stationmaster.errors import StationmasterError
from stationmaster.reviews.model import Gone, ThreadSnapshot
from stationmaster.reviews.questions import questions

BATCH = 100
logger = logging.getLogger(__name__)


async def prune(server: CronServer, connections: Connections, now: datetime | None = None) -> list[str]:
    """Delete the threads whose time is over; their ids. A thread that can't be read stays, and is tried again."""
    now, after, gone = now or datetime.now(UTC), 0, []
    while True:
        async with connections() as conn:
            ticks = await history.ripe(conn, now, after, BATCH)
        for tick in ticks:
            try:
                if await _prune_one(server, connections, tick, now):
                    gone.append(str(tick.thread_id))
            except StationmasterError as error:
                logger.warning("thread %s of cron %s stays for now: %s", tick.thread_id, tick.cron, error)
        if len(ticks) < BATCH:
            return gone
        after = ticks[-1].id


async def _prune_one(server: CronServer, connections: Connections, tick: Tick, now: datetime) -> bool:
    thread_id = str(tick.thread_id)
    snapshot = await server.read(thread_id)
    if not isinstance(snapshot, Gone):
        if _needed(snapshot, now - timedelta(days=tick.keep_days or 0)):
            return False
        await server.delete_thread(thread_id)
    async with connections() as conn:
        await history.pruned(conn, tick)
    return not isinstance(snapshot, Gone)


def _needed(snapshot: ThreadSnapshot, since: datetime) -> bool:
    """Whether somebody is asked on it, or something runs, or it was used again since."""
    newest = snapshot.run.created_at if snapshot.run else None
    return bool(questions(snapshot)) or snapshot.busy or (newest is not None and newest > since)

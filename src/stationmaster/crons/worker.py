"""The crons' loop in the console process: settles runs, gives turns, removes threads that were kept long enough."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from stationmaster.crons import history
from stationmaster.crons.errors import HistoryAway
from stationmaster.crons.pruning import prune
from stationmaster.crons.server import CronServer
from stationmaster.crons.settling import Connections, settle_due
from stationmaster.crons.turns import give_turns
from stationmaster.errors import StationmasterError
from stationmaster.reviews.database import Connection, Pool
from stationmaster.reviews.desk import Desk

logger = logging.getLogger(__name__)
LOOK_S = 1.0
AWAY_S = 5.0
PRUNE_EVERY_S = 3600.0


async def run(desk: Desk, stop: asyncio.Event) -> None:
    """Until `stop` is set. What is away for now is waited for; several processes share the work."""
    server, connections = CronServer(desk.server.client, desk.server.url), pooled(desk.pool)
    loop = asyncio.get_running_loop()
    prune_at = loop.time()
    while not stop.is_set():
        pause_s = LOOK_S
        try:
            await settle_due(server, connections)
            await give_turns(server, connections)
            if loop.time() >= prune_at:
                prune_at = loop.time() + PRUNE_EVERY_S
                await _tidy(server, connections)
        except StationmasterError as error:
            logger.warning("crons: %s", error)
            pause_s = AWAY_S
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(pause_s):
                await stop.wait()


async def _tidy(server: CronServer, connections: Connections) -> None:
    gone = await prune(server, connections)
    async with connections() as conn:
        forgotten = await history.forget(conn)
    if gone or forgotten:
        logger.info("crons: %s threads removed, %s rows of history dropped", len(gone), forgotten)


def pooled(pool: Pool) -> Connections:
    """Connections from a pool of ours."""

    @asynccontextmanager
    async def connections() -> AsyncIterator[Connection]:
        try:
            async with pool.connection() as conn:
                yield conn
        except (psycopg.OperationalError, PoolTimeout, PoolClosed) as error:
            raise HistoryAway(
                f"the database is away ({error}): the history goes on when it is back"
            ) from error

    return connections

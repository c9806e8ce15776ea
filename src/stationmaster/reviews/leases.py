"""Says again and again what a worker has in hand, on a connection of its own: where the pool has none free, because all
wait for a slow server, an answer that is being sent would else be taken over."""

import asyncio
import logging
from collections.abc import Callable, Collection
from pathlib import Path

import psycopg

from stationmaster.postgres.queries import load
from stationmaster.reviews.desk import Desk

RENEW = load(Path(__file__).with_suffix(".sql"))["renew"]

LEASE_S = 15.0
RENEW_S = 4.0
"""What a worker has in hand it says every RENEW_S; after LEASE_S of silence another one takes over."""
AGAIN_S = 1.0

logger = logging.getLogger(__name__)


async def keep_leases(desk: Desk, held: Callable[[], Collection[str]]) -> None:
    """Renew what `held` says is in hand, until cancelled. A database that is away is tried again."""
    conninfo = str(desk.pool.conninfo)
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(conninfo, autocommit=True) as conn:
                await _renewing(conn, desk.name, held)
        except psycopg.OperationalError as error:
            logger.warning("leases: %s", error)
        await asyncio.sleep(AGAIN_S)


async def _renewing(conn: psycopg.AsyncConnection, worker: str, held: Callable[[], Collection[str]]) -> None:
    while True:
        if ids := held():
            await conn.execute(RENEW, {"ids": list(ids), "worker": worker, "lease_s": LEASE_S})
        await asyncio.sleep(RENEW_S)

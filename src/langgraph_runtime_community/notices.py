"""Notifications of other processes. They only make things faster: behind a pooler that swallows them the clock and
the heartbeat do the same, later."""

import asyncio
from uuid import UUID

import psycopg
import structlog

from langgraph_runtime_community.connecting import options
from langgraph_runtime_community.streams.watching import WATCHER
from langgraph_runtime_community.work import BENCH

CHANNEL = "stationmaster_server"
AGAIN_S = 2.0
logger = structlog.stdlib.get_logger(__name__)


async def listen(uri: str) -> None:
    """Until cancelled, on a connection of its own."""
    while True:
        try:
            await _listen(uri)
        except (psycopg.Error, OSError) as error:
            logger.warning("no notifications, asking by the clock", error=str(error))
        await asyncio.sleep(AGAIN_S)


async def _listen(uri: str) -> None:
    connection = psycopg.AsyncConnection.connect(uri, autocommit=True, **options(uri, name="notices"))
    async with await connection as conn:
        await conn.execute(f"LISTEN {CHANNEL}")
        async for notice in conn.notifies():
            heed(notice.payload)


def heed(payload: str) -> None:
    """`q`: runs wait. `c run action reason`: one is to be cancelled. `e run`: events were kept. `w run`: watched."""
    kind, *rest = payload.split(" ", 3)
    run = rest[0] if rest else ""
    bench = BENCH.get()
    if kind == "e":
        WATCHER.wake.set()
    elif bench and kind == "q":
        bench.wake()
    elif bench and kind == "w" and (lease := bench.leases.get(UUID(run))):
        lease.shared = True
    elif bench and kind == "c":
        bench.cancel(UUID(run), rest[1], rest[2] if rest[2:] else None)

"""Word from Postgres that there is something to do; it may be lost, so whoever waits also looks by the clock."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import psycopg
from psycopg.sql import SQL, Identifier

from stationmaster.errors import StationmasterError
from stationmaster.postgres import connect
from stationmaster.reviews.database import Pool

LOG = logging.getLogger(__name__)
RECONNECT_S = 2.0


@asynccontextmanager
async def woken(pool: Pool, channel: str, stop: asyncio.Event) -> AsyncIterator[asyncio.Event]:
    """An event that is set when any process notifies the channel, and when `stop` is. Clear it before looking."""
    wake = asyncio.Event()
    tasks = [asyncio.create_task(_listen(pool, channel, wake)), asyncio.create_task(_set_after(stop, wake))]
    try:
        yield wake
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)


async def _set_after(first: asyncio.Event, then: asyncio.Event) -> None:
    await first.wait()
    then.set()


async def _listen(pool: Pool, channel: str, wake: asyncio.Event) -> None:
    uri = cast("str", pool.conninfo)  # as `open_pool` gave it
    while True:
        try:
            async with await connect(uri, autocommit=True) as conn:
                await conn.execute(SQL("LISTEN {}").format(Identifier(channel)))
                wake.set()  # for what came before we listened
                async for _ in conn.notifies():
                    wake.set()
        except (psycopg.OperationalError, StationmasterError) as error:
            LOG.warning("no word from %s for now (%s): polling goes on", channel, type(error).__name__)
            await asyncio.sleep(RECONNECT_S)

"""News for whoever watches: woken by Postgres at once when any process wrote, by the clock at the latest."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psycopg

from stationmaster.errors import StationmasterError
from stationmaster.postgres import connect

LOG = logging.getLogger(__name__)
# Sent by a trigger on the audit: whatever happens to a review is an entry there.
CHANNEL = "reviews_changed"
# NOTIFY may be lost (a connection pooler, a cut line): whoever waits looks again after this long.
POLL_S = 2.0
RECONNECT_S = 1.0


class Changes:
    """One listener a process, many that wait."""

    def __init__(self) -> None:
        self._next = asyncio.Event()
        self.closing = False

    async def wait(self) -> None:
        """Return when something may have changed, POLL_S from now at the latest, or when all is closing."""
        if not self.closing:
            try:
                async with asyncio.timeout(POLL_S):
                    await self._next.wait()
            except TimeoutError:
                pass

    def wake(self) -> None:
        """Let everybody look."""
        self._next.set()
        self._next = asyncio.Event()

    def close(self) -> None:
        """Streams end, so that the HTTP server, which waits for them, can stop."""
        self.closing = True
        self.wake()

    @asynccontextmanager
    async def listening(self, uri: str) -> AsyncIterator[None]:
        """Listen on a connection of its own for as long as the block lasts."""
        task = asyncio.create_task(self._listen(uri), name="changes")
        try:
            yield
        finally:
            self.close()
            task.cancel()
            await asyncio.wait([task])

    async def _listen(self, uri: str) -> None:
        while True:
            try:
                async with await connect(uri, autocommit=True) as conn:
                    await conn.execute(f"LISTEN {CHANNEL}")
                    self.wake()  # for what came before we listened
                    async for _ in conn.notifies():
                        self.wake()
            except (psycopg.OperationalError, StationmasterError) as error:
                LOG.warning("no news from the database for now (%s): polling goes on", type(error).__name__)
                await asyncio.sleep(RECONNECT_S)

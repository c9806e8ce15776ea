"""What was turned away, counted by reason and hour; nothing else of such a request is kept."""

import asyncio
import logging
from collections import Counter
from pathlib import Path

import psycopg
from psycopg_pool import PoolClosed, PoolTimeout

from stationmaster.postgres.queries import load
from stationmaster.reviews.database import Pool

LOG = logging.getLogger(__name__)
COUNT = load(Path(__file__).with_name("deliveries.sql"))["count_refusals"]
# Written once in this time, however many come: a flood of forged deliveries costs the database next to nothing.
PAUSE_S = 0.25


class Refusals:
    """Counts in memory and writes them a moment later; what can't be written is kept for the next time."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._writing: asyncio.Task[None] | None = None

    def count(self, reason: str, pool: Pool) -> None:
        self._counts[reason] += 1
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_soon(pool))

    async def _write_soon(self, pool: Pool) -> None:
        try:
            await asyncio.sleep(PAUSE_S)
        finally:  # the process ends: now or never
            await self.write(pool)

    async def write(self, pool: Pool) -> None:
        """Write what was counted so far."""
        counts, self._counts = self._counts, Counter()
        try:
            async with pool.connection() as conn:
                await conn.execute(COUNT, {"reasons": list(counts), "counts": list(counts.values())})
        except (PoolClosed, PoolTimeout, psycopg.OperationalError) as error:
            self._counts.update(counts)
            LOG.warning("%d refused deliveries are not yet counted: %s", counts.total(), error)

"""One process at a time, also behind a pooler in transaction mode.

There a session's lock belongs to whoever has the pooler's connection next: it is given twice, or never back. What
holds the lock here is a transaction, which keeps its connection until it ends.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from stationmaster.postgres.connect import connect
from stationmaster.postgres.errors import MigrationFailed
from stationmaster.postgres.queries import load

POLL_S = 0.1
QUERIES = load(Path(__file__).with_suffix(".sql"))
BEGIN, TRY_LOCK, HOLD = QUERIES["begin"], QUERIES["try_lock"], QUERIES["hold"]


@asynccontextmanager
async def alone(uri: str, number: int, *, wait_s: float, what: str) -> AsyncIterator[None]:
    """Hold the advisory lock `number`; MigrationFailed says after `wait_s` that another process has held it for `what`.

    The lock is polled: a session that blocks in it deadlocks with CREATE INDEX CONCURRENTLY beside it. An open
    transaction that reads nothing holds no snapshot, so that such an index waits for it no more than for nobody.
    """
    deadline = time.monotonic() + wait_s
    async with await connect(uri, autocommit=True) as conn:
        while True:
            await conn.execute(BEGIN)
            row = await (await conn.execute(TRY_LOCK, {"number": number})).fetchone()
            if row is not None and row["locked"]:
                break
            # Not within one transaction: who waits would keep a pooler's connection from who works.
            await conn.execute("ROLLBACK")
            if time.monotonic() > deadline:
                raise MigrationFailed(
                    f"another process has held the {what} for {wait_s:.0f} s: see pg_locks for it (locktype "
                    "advisory), end it, and start again"
                )
            await asyncio.sleep(POLL_S)
        await conn.execute(HOLD)
        yield
        await conn.execute("ROLLBACK")

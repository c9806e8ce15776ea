"""The schema of this runtime, and the tables of the libraries that keep checkpoints and store."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.store.postgres.aio import AsyncPostgresStore
from psycopg.rows import DictRow, dict_row

from stationmaster.postgres.errors import MigrationFailed
from stationmaster.postgres.migrate import migrate
from stationmaster.postgres.queries import load

DIRECTORY = Path(__file__).parent / "migrations"
ROOM = "server"
QUERIES = load(Path(__file__).with_name("migrate.sql"))
LOCK_WAIT_S = 120.0


async def prepare(uri: str, store: Callable[[Any], AsyncPostgresStore] = AsyncPostgresStore) -> None:
    """Bring everything up to date; safe beside other processes that do the same.

    The libraries make indexes concurrently: a process that blocks in a lock meanwhile would deadlock with that, so
    the lock is polled.
    """
    connection = psycopg.AsyncConnection[DictRow].connect(
        uri, autocommit=True, row_factory=dict_row, prepare_threshold=None
    )
    async with await connection as conn:
        await _lock(conn)
        try:
            await AsyncPostgresSaver(conn).setup()
            await store(conn).setup()
            await conn.execute(QUERIES["runs_of_writes"])
            await migrate(uri, DIRECTORY, room=ROOM)
        finally:
            await conn.execute(QUERIES["unlock"])


async def _lock(conn: psycopg.AsyncConnection[DictRow]) -> None:
    deadline = time.monotonic() + LOCK_WAIT_S
    while True:
        row = await (await conn.execute(QUERIES["try_lock"])).fetchone()
        if row and row["locked"]:
            return
        if time.monotonic() > deadline:
            raise MigrationFailed(
                f"another process has been preparing the server's tables for {LOCK_WAIT_S:.0f} s: "
                "see pg_locks for it (locktype advisory), end it, and start again"
            )
        await asyncio.sleep(0.1)

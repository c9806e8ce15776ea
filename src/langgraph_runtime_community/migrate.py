"""The schema of this runtime, and the tables of the libraries that keep checkpoints and store."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
from langgraph.checkpoint.postgres.aio import AsyncPostgresSaver
from langgraph.store.postgres.aio import AsyncPostgresStore
from psycopg.rows import DictRow, dict_row

from stationmaster.postgres.alone import alone
from stationmaster.postgres.migrate import migrate
from stationmaster.postgres.queries import load

DIRECTORY = Path(__file__).parent / "migrations"
ROOM = "server"
QUERIES = load(Path(__file__).with_name("migrate.sql"))
LOCK, LOCK_WAIT_S = 7352419867213402, 120.0


async def prepare(uri: str, store: Callable[[Any], AsyncPostgresStore] = AsyncPostgresStore) -> None:
    """Bring everything up to date; safe beside other processes that do the same.

    The libraries make indexes concurrently, which the lock does not hold up (postgres/alone.py).
    """
    connection = psycopg.AsyncConnection[DictRow].connect(
        uri, autocommit=True, row_factory=dict_row, prepare_threshold=None
    )
    async with (
        alone(uri, LOCK, wait_s=LOCK_WAIT_S, what="lock on the server's tables"),
        await connection as conn,
    ):
        await AsyncPostgresSaver(conn).setup()
        await store(conn).setup()
        await conn.execute(QUERIES["runs_of_writes"])
        await migrate(uri, DIRECTORY, room=ROOM)

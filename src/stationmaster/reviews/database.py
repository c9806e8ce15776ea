"""The review service's way to Postgres: one pool for the process, rows as dicts, one transaction a block."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TypeAlias

import psycopg
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool

from stationmaster.reviews.errors import TooSlow

Connection: TypeAlias = psycopg.AsyncConnection[DictRow]
Pool: TypeAlias = AsyncConnectionPool[Connection]

MAX_SIZE = 20
TIMEOUT_S = 10.0
READING_S = 5.0


@asynccontextmanager
async def open_pool(uri: str, *, max_size: int = MAX_SIZE) -> AsyncIterator[Pool]:
    """The pool, for as long as the block lasts. `async with pool.connection() as conn:` is one transaction,
    committed at its end and rolled back if it raises; psycopg_pool.PoolTimeout when none is free in time."""
    pool: Pool = AsyncConnectionPool(
        uri,
        open=False,
        min_size=1,
        max_size=max_size,
        timeout=TIMEOUT_S,
        kwargs={"row_factory": dict_row},
        connection_class=psycopg.AsyncConnection[DictRow],
        check=_check,  # a restart of Postgres is noticed here, not in the block
    )
    await pool.open()
    try:
        yield pool
    finally:
        await pool.close()


@asynccontextmanager
async def in_time(conn: Connection, seconds: float = READING_S) -> AsyncIterator[None]:
    """Statements of this transaction may take so long from here on, each; TooSlow for one that does not end.

    For what people look up as they like: one page must not keep Postgres busy for everybody.
    """
    await conn.execute("SELECT set_config('statement_timeout', %s, true)", (f"{int(seconds * 1000)}ms",))
    try:
        yield
    except psycopg.errors.QueryCanceled as error:
        raise TooSlow(
            f"this took longer than {seconds:g} s: narrow it, by a graph, an assistant, a state or a person"
        ) from error


async def _check(conn: Connection) -> None:
    await AsyncConnectionPool[Connection].check_connection(conn)

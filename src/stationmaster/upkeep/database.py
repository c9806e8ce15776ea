"""The way to a database that a durable server uses, with the tables of upkeep in it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg.rows import DictRow

from stationmaster.postgres.connect import connect
from stationmaster.postgres.migrate import migrate
from stationmaster.postgres.queries import load
from stationmaster.upkeep.errors import NoDurableServer

Connection = psycopg.AsyncConnection[DictRow]
MIGRATIONS = Path(__file__).parent / "migrations"
ROOM = "upkeep"
QUERIES = load(Path(__file__).with_name("database.sql"))


async def prepare(uri: str) -> list[str]:
    """Bring the tables of upkeep up to date; what was applied. Nothing where no durable server has been."""
    if not await has_server(uri):
        return []
    return await migrate(uri, MIGRATIONS, room=ROOM)


async def has_server(uri: str) -> bool:
    """Whether a durable server has used the database."""
    async with await connect(uri, autocommit=True) as conn:
        return bool((await one(conn, QUERIES["has_server"]))["present"])


@asynccontextmanager
async def opened(uri: str) -> AsyncIterator[Connection]:
    """A connection in autocommit, everything in place. NoDurableServer where there is none to look after."""
    if not await has_server(uri):
        raise NoDurableServer(
            "no durable server has used this database: start one with `stationmaster serve`, "
            "or make its tables with `stationmaster db migrate`"
        )
    await migrate(uri, MIGRATIONS, room=ROOM)
    async with await connect(uri, autocommit=True) as conn:
        yield conn


async def rows(conn: Connection, query: Any, params: dict[str, Any] | None = None) -> list[DictRow]:
    """All rows of a statement."""
    return await (await conn.execute(query, params)).fetchall()


async def one(conn: Connection, query: Any, params: dict[str, Any] | None = None) -> DictRow:
    """The row of a statement that always has one."""
    found = await (await conn.execute(query, params)).fetchone()
    if found is None:
        raise LookupError("a statement that always has a row had none")
    return found

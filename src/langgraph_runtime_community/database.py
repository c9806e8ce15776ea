"""The pool, and the one seam at which driver errors become ours. Every operation takes a connection of its own,
fetches at once and gives it back: the server reads results after `connect()` is over, and runs several operations
on one handle."""

import select
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any, LiteralString, cast

import orjson
import psycopg
from langgraph_api.serde import json_dumpb
from psycopg.rows import DictRow, dict_row
from psycopg.sql import SQL, Composed
from psycopg.types.json import Jsonb, set_json_loads
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from langgraph_runtime_community.config import config
from langgraph_runtime_community.connecting import options
from langgraph_runtime_community.errors import Unavailable, translated
from langgraph_runtime_community.sealing import blobs

Connection = psycopg.AsyncConnection[DictRow]
Query = LiteralString | SQL | Composed
_pools: dict[str, AsyncConnectionPool[Connection]] = {}


def json(value: Any) -> Jsonb | None:
    """A parameter of type jsonb, written as the server writes JSON; None is NULL."""
    return None if value is None else Jsonb(value, dumps=json_dumpb)


async def start_pool(uri: str) -> None:
    """Open the pool of this process and wait for a first connection."""
    blobs.require_supported()
    if "pool" not in _pools:
        _pools["pool"] = _made(uri)
    await _pools["pool"].open(wait=True, timeout=30)


def _made(uri: str) -> AsyncConnectionPool[Connection]:
    size = config().pool_size
    return AsyncConnectionPool(
        uri,
        connection_class=cast("type[Connection]", psycopg.AsyncConnection),
        min_size=min(2, size),
        max_size=size,
        timeout=config().pool_timeout_s,
        max_lifetime=3600,
        configure=_configure,
        check=_refuse_stale,
        kwargs={"autocommit": True, "row_factory": dict_row, **options(uri, name="server")},
        open=False,
    )


async def stop_pool() -> None:
    """Close it; what is still at work is waited for."""
    if pool := _pools.pop("pool", None):
        await pool.close()


async def _configure(conn: Connection) -> None:
    set_json_loads(orjson.loads, conn)


def pool() -> AsyncConnectionPool[Connection]:
    """The pool, for those that manage connections themselves (the store).

    With an app of the project's own the server asks for the store before anything is started: the pool is made
    then, and opened later.
    """
    if "pool" not in _pools:
        from langgraph_api.config import DATABASE_URI

        _pools["pool"] = _made(DATABASE_URI or "")
    return _pools["pool"]


@asynccontextmanager
async def connection() -> AsyncIterator[Connection]:
    """A connection in autocommit; errors of the driver come out as ours."""
    try:
        async with pool().connection() as conn:
            yield conn
    except (psycopg.Error, PoolTimeout, PoolClosed) as error:
        raise translated(error) from error


@asynccontextmanager
async def transaction() -> AsyncIterator[Connection]:
    """A connection in a transaction of its own, which is undone if the body fails."""
    async with connection() as conn, conn.transaction():
        yield conn


async def _refuse_stale(conn: Connection) -> None:
    """Raise for an idle connection that is none any more: bytes that wait to be read are its end, or the reason.

    Asked before a statement is sent, so that after a restart of Postgres nothing has an unknown outcome; and of
    the kernel alone, so that it costs no way to Postgres and back.
    """
    poll = select.poll()
    poll.register(conn.pgconn.socket, select.POLLIN)
    if poll.poll(0):
        await conn.close()  # or the pool would take it for a good one still
        raise Unavailable("the connection was closed while it was idle")


async def fetch(query: Query, params: Mapping[str, Any] | None = None) -> list[DictRow]:
    """All rows of a statement; bytes that were sealed are opened."""
    async with connection() as conn:
        rows = await (await conn.execute(query, params)).fetchall()
    return await blobs.opened_rows(rows) if blobs.active() else rows


async def fetch_one(query: Query, params: Mapping[str, Any] | None = None) -> DictRow | None:
    """The first row of a statement; bytes that were sealed are opened."""
    async with connection() as conn:
        row = await (await conn.execute(query, params)).fetchone()
    return (await blobs.opened_rows([row]))[0] if row and blobs.active() else row


async def execute(query: Query, params: Mapping[str, Any] | None = None) -> int:
    """Run a statement; how many rows it touched."""
    async with connection() as conn:
        return (await conn.execute(query, params)).rowcount


class Handle:
    """What `connect()` gives the server to hand on to operations: nothing, for they take their own connections."""


HANDLE = Handle()


@asynccontextmanager
async def connect(*, supports_core_api: bool = False) -> AsyncIterator[Handle]:
    """For the server. Holds no connection."""
    yield HANDLE


async def healthcheck(*, check_db: bool = True) -> None:
    """Raise unless the database answers."""
    if check_db:
        await fetch_one("SELECT 1 AS one")


def dependency_checks() -> dict[str, Any]:
    """What `/ok?check_db=1` asks, by name."""
    return {"postgres": healthcheck}


def pool_stats() -> dict[str, Any]:
    """The pool in the server's words."""
    stats = _pools["pool"].get_stats() if _pools else {}
    return {
        "postgres": {
            "pool_max": stats.get("pool_max", 0),
            "pool_size": stats.get("pool_size", 0),
            "pool_available": stats.get("pool_available", 0),
            "requests_queued": stats.get("requests_queued", 0),
            "requests_errors": stats.get("requests_errors", 0),
        }
    }

"""The agents' way to the database: one transaction a block, from a pool that belongs to the running loop."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

import psycopg
from psycopg.rows import DictRow, dict_row
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout

from agents.shared.errors import PermanentError, TransientError

MAX_SIZE = 10
TIMEOUT_S = 5.0
LOST_AFTER_S = 2.0
"""How long a pool tries to connect again, with growing pauses, before it is given up for a new one."""

Source = str | Callable[[], Awaitable[str]]
Unreachable = type[Exception] | tuple[type[Exception], ...]
Connection = psycopg.AsyncConnection[DictRow]


class DatabaseNotConfigured(PermanentError):
    """No database yet: call agents.shared.database.configure(uri) where the process is put together."""


class DatabaseUnavailable(TransientError):
    """The database can't be reached for now, or went away in the middle; nothing of the block is certain."""


@dataclass
class _Slot:
    """What one event loop has: its pool, for the source it was made from."""

    lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    source: Source | None = None
    pool: AsyncConnectionPool[Connection] | None = None
    closing: set[asyncio.Task[None]] = field(default_factory=set)

    async def give_up(self, lost: AsyncConnectionPool[Connection]) -> None:
        """The server is away: whoever waits in this pool is told now, and the next use looks for it anew.

        Otherwise the pauses between its attempts would go on growing: it would find a server that is back as
        late again as the outage lasted.
        """
        if self.pool is lost:
            self.pool = None
        task = asyncio.create_task(lost.close())  # not awaited: this runs in a worker of that pool
        self.closing.add(task)
        task.add_done_callback(self.closing.discard)


@dataclass
class _State:
    """One per process. A pool can't be shared between loops: its connections wait on the loop they were made on."""

    source: Source | None = None
    unreachable: Unreachable = ()
    slots: WeakKeyDictionary[asyncio.AbstractEventLoop, _Slot] = field(default_factory=WeakKeyDictionary)


_state = _State()


def configure(source: Source | None, *, unreachable: Unreachable = ()) -> None:
    """Where the database is: a URI, or a coroutine function that finds it on first use. None forgets it.

    `unreachable` names what such a function raises when there is no database for now; it comes out of
    `connection` as DatabaseUnavailable, which retries and breakers know. Anything else it raises is a bug.
    """
    _state.source = source
    _state.unreachable = unreachable


@asynccontextmanager
async def connection() -> AsyncIterator[Connection]:
    """A connection in a transaction: committed after the block, rolled back if it raises. Rows are dicts."""
    conn: Connection | None = None
    try:
        pool = await _pool()
        async with pool.connection() as conn:
            yield conn
    except PoolTimeout as error:
        raise DatabaseUnavailable(f"no database connection within {TIMEOUT_S:.0f} s") from error
    except PoolClosed as error:
        raise DatabaseUnavailable("the database went away, or this process is stopping") from error
    except psycopg.OperationalError as error:
        if _went_away(error, conn):
            raise DatabaseUnavailable("the database went away") from error
        raise


async def close() -> None:
    """Close the running loop's pool; the next use opens one again."""
    slot = _state.slots.pop(asyncio.get_running_loop(), None)
    if slot is None:
        return
    if slot.pool is not None:
        await slot.pool.close()
    await asyncio.gather(*slot.closing)


async def _pool() -> AsyncConnectionPool[Connection]:
    source = _state.source
    if source is None:
        raise DatabaseNotConfigured
    slot = _state.slots.setdefault(asyncio.get_running_loop(), _Slot())
    if slot.pool is not None and slot.source == source:
        return slot.pool
    async with slot.lock:
        if slot.pool is None or slot.source != source:
            old, slot.pool = slot.pool, None
            if old is not None:
                await old.close()
            slot.pool, slot.source = await _open(source, slot), source
    return slot.pool


async def _open(source: Source, slot: _Slot) -> AsyncConnectionPool[Connection]:
    uri = source if isinstance(source, str) else await _found(source)
    pool: AsyncConnectionPool[Connection] = AsyncConnectionPool(
        uri, open=False, min_size=1, max_size=MAX_SIZE, timeout=TIMEOUT_S, kwargs={"row_factory": dict_row},
        connection_class=psycopg.AsyncConnection[DictRow],
        reconnect_timeout=LOST_AFTER_S, reconnect_failed=slot.give_up,
        check=_check,  # a restart of the server is then noticed here, not in the block
    )  # fmt: skip
    await pool.open()
    return pool


async def _found(source: Callable[[], Awaitable[str]]) -> str:
    try:
        return await source()
    except _state.unreachable as error:
        raise DatabaseUnavailable("the database can't be reached") from error


async def _check(conn: Connection) -> None:
    await AsyncConnectionPool[Connection].check_connection(conn)


def _went_away(error: psycopg.OperationalError, conn: Connection | None) -> bool:
    """Not every OperationalError: a deadlock or a cancelled query leaves a database that is there."""
    if conn is None or conn.broken or conn.closed:
        return True
    state = error.sqlstate or ""
    return state.startswith(("08", "57P")) or state == "53300"

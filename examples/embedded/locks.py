"""One turn of a thread at a time, in however many processes: an advisory lock of the database."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from psycopg import AsyncConnection
from psycopg_pool import AsyncConnectionPool

LOOK_S = 0.05
# Of 64 bits, beside other users of advisory locks on this database.
NAMESPACE = 7_301


class ThreadIsBusy(Exception):
    """Another request runs the thread and did not finish in time."""


def lock_pool(uri: str, turns: int) -> AsyncConnectionPool:
    """Connections to hold locks on, one a turn: so it is also the limit of turns at once.

    It must not be the pool that the checkpointer writes through: turns that hold all connections would wait for one to
    save with, for ever.
    """
    return AsyncConnectionPool(
        uri, min_size=1, max_size=turns, open=False, kwargs={"autocommit": True}, reset=_unlock
    )


@asynccontextmanager
async def alone(pool: AsyncConnectionPool, thread_id: str, wait_s: float) -> AsyncIterator[None]:
    """Nobody else runs the thread while the block lasts; ThreadIsBusy if somebody does for longer than `wait_s`.

    The lock belongs to the connection: a process that is killed lets go of it. It is no fence, though: a process whose
    connection breaks goes on with its turn without the lock.
    """
    deadline = time.monotonic() + wait_s
    while True:
        async with pool.connection() as conn:
            if await _locked(conn, thread_id):
                yield
                return  # the pool unlocks when it takes the connection back, however the block ended
        if time.monotonic() > deadline:
            raise ThreadIsBusy
        await asyncio.sleep(LOOK_S)  # without a connection: who waits must not use up those of the others


async def _locked(conn: AsyncConnection, thread_id: str) -> bool:
    cursor = await conn.execute(
        "select pg_try_advisory_lock(hashtextextended(%s, %s))", (thread_id, NAMESPACE)
    )
    row = await cursor.fetchone()
    return bool(row and row[0])


async def _unlock(conn: AsyncConnection) -> None:
    await conn.execute("select pg_advisory_unlock_all()")

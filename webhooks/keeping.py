"""Writes deliveries down. Those that come while others are being written go together in the next statement."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import astuple, dataclass, fields, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

import psycopg
from psycopg.pq import TransactionStatus
from psycopg_pool import PoolClosed, PoolTimeout

from stationmaster.postgres.queries import load
from stationmaster.reviews.database import Connection, Pool
from webhooks.senders import Known

STORE = load(Path(__file__).with_name("deliveries.sql"))["store"]
# The Agent Server itself waits 30 s for an answer, and comes three times in some five seconds.
TIMEOUT_S = 5.0
# Of one statement; a single delivery may be larger.
BATCH, BATCH_BYTES = 200, 8 * 1024 * 1024

DatabaseAway = (psycopg.OperationalError, PoolTimeout, PoolClosed, TimeoutError)


@dataclass(frozen=True)
class Delivery:
    """A row of webhooks.deliveries as it begins; from `canary_id` on, one of assistants.canary_runs, if it has one."""

    dedup_key: str
    sender: Known
    body: bytes
    state: Literal["new", "unreadable"]
    thread_id: str | None = None
    run_id: str | None = None
    run_status: str | None = None
    error: str | None = None
    repeats: int = 0
    canary_id: str | None = None
    arm: str | None = None
    assistant: str | None = None
    version: int | None = None
    created_at: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None


COLUMNS = [column.name for column in fields(Delivery)]


class Keeper:
    """One writer for all requests of the process: under load a delivery costs a share of a transaction."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Delivery, asyncio.Future[None]]] = []
        self._writing: asyncio.Task[None] | None = None

    async def keep(self, delivery: Delivery, pool: Pool) -> None:
        """Return once it is committed; one of DatabaseAway if it could not be, or not in time."""
        kept: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((delivery, kept))
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write_all(pool))
        async with asyncio.timeout(TIMEOUT_S):
            await kept

    async def _write_all(self, pool: Pool) -> None:
        while batch := self._next_batch():
            await _write(batch, pool)

    def _next_batch(self) -> list[tuple[Delivery, asyncio.Future[None]]]:
        """What waits, without those whose sender was told to come again."""
        batch, size = [], 0
        while self._waiting and len(batch) < BATCH and (not batch or size < BATCH_BYTES):
            delivery, kept = self._waiting.pop(0)
            if not kept.done():
                batch.append((delivery, kept))
                size += len(delivery.body)
        return batch


async def _write(batch: list[tuple[Delivery, asyncio.Future[None]]], pool: Pool) -> None:
    """Each one's future says what became of it. One that the database refuses takes no other with it."""
    (failure,) = await asyncio.gather(_store([each for each, _ in batch], pool), return_exceptions=True)
    if isinstance(failure, psycopg.Error) and not isinstance(failure, DatabaseAway) and len(batch) > 1:
        for each in batch:
            await _write([each], pool)
        return
    for _, kept in batch:
        if kept.done():
            continue
        if failure is None:
            kept.set_result(None)
        else:
            kept.set_exception(failure)


async def _store(deliveries: list[Delivery], pool: Pool) -> None:
    rows = [astuple(each) for each in _distinct(deliveries)]
    columns = dict(zip(COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
    async with asyncio.timeout(TIMEOUT_S), pool.connection(timeout=TIMEOUT_S) as conn, _one_statement(conn):
        await conn.execute(STORE, columns)


@asynccontextmanager
async def _one_statement(conn: Connection) -> AsyncIterator[None]:
    """A transaction by itself: without begin and commit it is one way to Postgres and back instead of three."""
    await conn.set_autocommit(True)
    try:
        yield
    finally:
        # Not idle means cut off or cancelled half-way: the pool then closes it.
        if conn.info.transaction_status == TransactionStatus.IDLE:
            await conn.set_autocommit(False)


def _distinct(deliveries: list[Delivery]) -> list[Delivery]:
    """The first of each key, with how often it came again: one statement can't touch a row twice."""
    found: dict[str, Delivery] = {}
    for each in deliveries:
        first = found.get(each.dedup_key)
        found[each.dedup_key] = replace(first, repeats=first.repeats + 1) if first else each
    return list(found.values())

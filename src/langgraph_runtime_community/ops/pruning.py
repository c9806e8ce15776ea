"""Removing threads, or their history, one thread a transaction: a prune of thousands holds nothing up."""

from collections.abc import Sequence
from pathlib import Path
from uuid import UUID

from langgraph_runtime_community import database
from langgraph_runtime_community.checkpoint.saver import Checkpointer
from langgraph_runtime_community.checkpoint.storage import drop_replaced, keep_latest
from langgraph_runtime_community.ops import working
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("pruning.sql"))


async def prune(thread_ids: Sequence[UUID], strategy: str) -> int:
    """Apply a strategy to threads; how many were there."""
    done = 0
    for thread_id in thread_ids:
        if strategy == "delete":
            done += await _deleted(thread_id)
            working.removed(thread_id)
        else:
            await only_latest(thread_id)
            done += 1
    return done


async def only_latest(thread_id: UUID) -> None:
    """All checkpoints but the newest go; the library refuses threads with delta channels, for which there is ours."""
    try:
        await Checkpointer(lease=None).aprune([str(thread_id)], strategy="keep_latest")
    except NotImplementedError:
        await keep_latest(thread_id)
    await drop_replaced(thread_id)


async def sweep(limit: int) -> int:
    """Threads whose time is over; never one that is at work or waits for an answer. How many."""
    due = await database.fetch(QUERIES["expired"], {"limit": limit})
    return sum([await _expire(row["thread_id"], row["ttl_strategy"]) for row in due])


async def _expire(thread_id: UUID, strategy: str) -> bool:
    """End a thread's time, unless it must stay by now. It is held meanwhile, so that nothing begins on it."""
    params = {"thread_id": thread_id}
    async with database.connection() as conn, conn.transaction():
        await conn.execute(QUERIES["hold_expired"], params)
        if not await (await conn.execute(QUERIES["still_expired"], params)).fetchall():
            return False
        if strategy == "delete":
            await conn.execute(QUERIES["delete"], params)
        else:
            await only_latest(thread_id)
            await conn.execute(QUERIES["again"], params)
    return True


async def _deleted(thread_id: UUID) -> int:
    row = await database.fetch_one(QUERIES["delete"], {"thread_id": thread_id})
    return int(bool(row and row["deleted"]))

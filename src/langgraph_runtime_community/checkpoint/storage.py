"""What the library can't do with a thread's checkpoints: forget a run, copy, count bytes, prune delta channels."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from langgraph_runtime_community import database
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("storage.sql"))


async def delete_for_runs(run_ids: Sequence[str]) -> None:
    """Remove what these runs saved, on whatever thread."""
    await database.execute(QUERIES["forget_runs"], {"runs": [str(run_id) for run_id in run_ids]})


async def copy_thread(source: str | UUID, target: str | UUID) -> None:
    """Copy all checkpoints of a thread."""
    await database.execute(QUERIES["copy"], {"source": str(source), "target": str(target)})


async def thread_storage(conn: Any, thread_id: UUID | str) -> dict[str, Any]:
    """Bytes that a thread's checkpoints take, by table and by channel."""
    found = await database.fetch(QUERIES["bytes"], {"thread": str(thread_id)})
    tables = {row["part"]: row["bytes"] for row in found if row["channel"] is None}
    channels = {row["channel"]: row["bytes"] for row in found if row["channel"] is not None}
    return {"total_bytes": sum(tables.values()), "tables": tables, "channels": channels}


async def drop_replaced(thread_id: UUID | str) -> None:
    """Forget what was replaced on checkpoints that are gone."""
    await database.execute(QUERIES["drop_replaced"], {"thread": str(thread_id)})


async def keep_latest(thread_id: UUID | str) -> int:
    """Remove all checkpoints but the newest of each namespace, and what a delta channel is rebuilt from; how many."""
    async with database.connection() as conn, conn.transaction():
        rows = await (await conn.execute(QUERIES["keep_latest"], {"thread": str(thread_id)})).fetchall()
        await conn.execute(QUERIES["drop_writes"], {"thread": str(thread_id)})
        await conn.execute(QUERIES["drop_blobs"], {"thread": str(thread_id)})
        return len(rows)

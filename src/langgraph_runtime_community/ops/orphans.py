"""Runs whose worker is gone: back into the queue, or, if they were to be cancelled, to their end."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import structlog

from langgraph_runtime_community import database
from langgraph_runtime_community.database import Connection, json
from langgraph_runtime_community.hooks.payload import hook_of
from langgraph_runtime_community.hooks.sending import SENDER
from langgraph_runtime_community.identity import WORKER_ID
from langgraph_runtime_community.ops import changing
from langgraph_runtime_community.ops.accepting import SHOWN
from langgraph_runtime_community.sealing import blobs, objects
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("orphans.sql"))
INTERRUPTED = "interrupt"
logger = structlog.stdlib.get_logger(__name__)
Row = dict[str, Any]


async def recover(held: Sequence[UUID]) -> int:
    """Runs of dead workers, and those that this process has lost sight of, which holds these; how many.

    One that was to be cancelled ends, much as its worker would have ended it: its webhook is written with its status,
    and its thread's row says afterwards what it has saved.
    """
    async with database.transaction() as conn:
        params = {"worker": WORKER_ID, "held": list(held)}
        found = await (await conn.execute(QUERIES["recover"], params)).fetchall()
        over = [row["run_id"] for row in found if row["becomes"] == INTERRUPTED]
        ended = await (await conn.execute(QUERIES["runs"], {"runs": over})).fetchall() if over else []
        for row in ended:
            await _post(conn, row)
    for row in found:
        logger.warning("a run had no worker any more", run_id=str(row["run_id"]), becomes=row["becomes"])
    for row in ended:
        _as_its_worker(row)
        await changing.follow(row["thread_id"])
    return len(found)


async def _post(conn: Connection, row: Row) -> None:
    """Note the webhook of a run that was cancelled. One that can't be told holds up no other orphan."""
    if not row["kwargs"].get("webhook"):
        return
    _as_its_worker(row)
    try:
        async with conn.transaction():
            hook = json(await objects.seal_hook(await _hook(row)))
            params = {"run": row["run_id"], "thread": row["thread_id"], "hook": hook}
            await conn.execute(QUERIES["post"], params)
    except Exception as error:
        logger.exception("an orphan's end can't be told", run_id=str(row["run_id"]), exc_info=error)
    SENDER.wake.set()


async def _hook(row: Row) -> Row | None:
    from langgraph_api.errors import UserInterrupt

    run = await objects.open_run({name: row[name] for name in SHOWN})
    error = UserInterrupt(row["cancel_reason"]) if row["cancel_reason"] else UserInterrupt()
    return hook_of(run, row["claimed_at"].isoformat(), "interrupted", error, None, {})


def _as_its_worker(row: Row) -> None:
    """What is sealed from here on is sealed for the run's tenant."""
    from langgraph_api.encryption.context import set_encryption_context
    from langgraph_api.encryption.middleware import extract_blob_encryption_context

    if blobs.active():
        set_encryption_context(extract_blob_encryption_context(row["kwargs"].get("config")) or {})

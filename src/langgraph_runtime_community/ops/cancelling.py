"""Cancelling runs: one that waits ends at once, one at work is told, wherever its worker is, or is dead."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from langgraph_sdk import Auth
from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.database import json
from langgraph_runtime_community.ops.access import Context, as_uuid, ask
from langgraph_runtime_community.streams.events import end_of
from langgraph_runtime_community.streams.hub import HUB
from langgraph_runtime_community.work import BENCH
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("cancelling.sql"))
STATUSES = {"pending": ["pending"], "running": ["running"], "all": ["pending", "running"]}
IN_FLIGHT = frozenset(STATUSES["all"])


async def cancel(
    run_ids: Sequence[UUID | str] | None,
    action: str,
    thread_id: UUID | str | None,
    status: str | None,
    reason: str | None,
    ctx: Context,
) -> None:
    """As a client asks: runs of a thread, or all of a status. HTTPException 404 where nothing is to be cancelled."""
    if (status is None) == (thread_id is None or run_ids is None):
        raise HTTPException(422, "Give either a status, or both thread_id and run_ids")
    thread = as_uuid(thread_id) if thread_id else None
    runs = [as_uuid(run_id) for run_id in run_ids] if run_ids is not None else None
    value: Any = {"thread_id": thread, "action": action, "metadata": {"run_ids": runs, "status": status}}
    filters = await ask("threads", "update", Auth.types.ThreadsUpdate(**value), ctx)
    params = {
        "thread_id": thread, "runs": runs, "statuses": STATUSES[status] if status else None, "filter": json(filters)
    }  # fmt: skip
    found = await database.fetch(QUERIES["matching"], params)
    if not found:
        raise HTTPException(404, "No runs found to cancel.")
    cancelled = await cancel_all([row["run_id"] for row in found], action, reason)
    if not cancelled:
        raise HTTPException(
            404,
            "No matching runs to cancel: see that the ids are right, and that the runs are not over or deleted.",
        )


async def cancel_all(run_ids: Sequence[UUID], action: str, reason: str | None) -> int:
    """Cancel what of these is in flight; how many there were."""
    if not run_ids:
        return 0
    params = {"runs": list(run_ids), "action": action, "reason": reason}
    found = [row for row in await database.fetch(QUERIES["cancel"], params) if row["before"] in IN_FLIGHT]
    for row in found:
        if row["before"] == "pending":
            HUB.publish(end_of(row["run_id"]), row["thread_id"])
        elif bench := BENCH.get():
            bench.cancel(row["run_id"], action, reason)
    return len(found)

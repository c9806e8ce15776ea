"""Accepting a run: the project's auth handlers, one call of the database, and word to the queue."""

import time
from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from uuid import UUID

from langgraph_sdk import Auth
from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.database import json
from langgraph_runtime_community.identity import WORKER_ID
from langgraph_runtime_community.ops import guards, ttl
from langgraph_runtime_community.ops.access import Context, ask
from langgraph_runtime_community.ops.slots import SLOT
from langgraph_runtime_community.streams.hub import HUB
from langgraph_runtime_community.work import BENCH, Bench
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("runs.sql"))
SHOWN = (
    "run_id", "thread_id", "assistant_id", "created_at", "updated_at", "status", "metadata", "kwargs",
    "multitask_strategy", "langsmith_session_name",
)  # fmt: skip
VERSION = "assistant_version"
LONGEST_S = 10 * 365 * 86_400
Row = dict[str, Any]


@dataclass(frozen=True)
class Request:
    """A run that is asked for."""

    run_id: UUID
    thread_id: UUID | None
    assistant_id: UUID
    kwargs: Row
    metadata: Row
    user_id: str | None
    strategy: str
    alone: bool
    create: bool
    after_s: float
    session: str | None
    status: str


class Notice:
    """Word to other processes that runs wait, at most twenty times a second: commits that notify wait for each other.
    What is accepted in between is found by whoever was woken, or by the clock."""

    EVERY_S = 0.05

    def __init__(self) -> None:
        self._last = 0.0

    def due(self) -> bool:
        """Whether it is time again."""
        now = time.monotonic()
        if now - self._last < self.EVERY_S:
            return False
        self._last = now
        return True


NOTICE = Notice()


def new_id() -> UUID:
    """An id that grows with time."""
    from langgraph_api.utils import uuid7

    return uuid7()


def own_copy(metadata: Row | None) -> Row:
    """Metadata of a run, to take keys out of: a request that is tried again finds them again. Which version of the
    assistant it is, is not a client's to say; handlers may."""
    return {name: value for name, value in (metadata or {}).items() if name != VERSION}


def put_off(after_s: float) -> float:
    """By how much a run is put off: never into the past, ahead of what waits there; HTTPException 422 for too long."""
    if after_s > LONGEST_S:
        raise HTTPException(422, f"after_seconds must be {LONGEST_S} (ten years) or less")
    return max(0.0, after_s)


async def accept(request: Request, ctx: Context) -> list[Row]:
    """Rows as the server expects them; the first is the new run where its id is the request's."""
    guard = guards.taken_from(request.metadata, request.kwargs, request.after_s)
    request, filters, assistant_filters = await _allowed(request, ctx)
    guard = guards.with_slot(guard, request.metadata, request.kwargs)
    bench = BENCH.get()
    worker = WORKER_ID if bench and bench.has_room() and request.after_s <= 0 else None
    with bench.promise() if bench and worker else nullcontext():
        params = _params(request, filters, assistant_filters, worker)
        found = (
            await guards.accept(guard, params, request.thread_id, request.user_id, ctx)
            if guard
            else await database.fetch(QUERIES["accept"], params)
        )
        _begin(request, found, bench)
    return [shown(row) for row in found]


def _begin(request: Request, found: list[Row], bench: Bench | None) -> None:
    """Word to those who wait for the run, and to the queue."""
    if found and found[0]["run_id"] == request.run_id:
        run = found[0]
        HUB.accepted(run["run_id"], run["thread_id"], resumable=bool(request.kwargs.get("resumable")))
        if bench and run["status"] == "running":
            # The worker changes kwargs as it goes; the caller gets them as they were accepted.
            bench.begin({**run, "kwargs": deepcopy(run["kwargs"])})
        elif bench:
            bench.wake()


def shown(row: Row) -> Row:
    """A run as the API has it. One that was claimed while it was made was pending when it was asked for."""
    run = {name: row[name] for name in SHOWN}
    if row["epoch"] == 1 and row["status"] == "running":
        run["status"] = "pending"
    return run


async def _allowed(request: Request, ctx: Context) -> tuple[Request, Row | None, Row | None]:
    """The request as the handlers leave it, and the filters for its thread and its assistant.

    They may change kwargs and metadata in place. An assistant of somebody else is judged by who may read it.
    """
    from langgraph_api.graph import SYSTEM_ASSISTANT_IDS

    value: Any = Auth.types.RunsCreate(
        thread_id=None if request.kwargs.get("temporary") else request.thread_id,
        assistant_id=request.assistant_id,
        run_id=request.run_id,
        status=request.status,  # pyright: ignore[reportArgumentType]
        metadata=request.metadata,
        prevent_insert_if_inflight=request.alone,
        multitask_strategy=request.strategy,  # pyright: ignore[reportArgumentType]
        if_not_exists="create" if request.create else "reject",
        after_seconds=int(request.after_s),
        kwargs=request.kwargs,
    )
    filters = await ask("threads", "create_run", value, ctx)
    assistant_filters = None
    if str(request.assistant_id) not in SYSTEM_ASSISTANT_IDS:
        asked = Auth.types.AssistantsRead(assistant_id=request.assistant_id)
        assistant_filters = await ask("assistants", "read", asked, ctx)
    changed = replace(
        request,
        kwargs=value.get("kwargs") or request.kwargs,
        metadata=value.get("metadata") or {},
        assistant_id=value.get("assistant_id") or request.assistant_id,
    )
    return changed, filters, assistant_filters


def _params(request: Request, filters: Row | None, assistant_filters: Row | None, worker: UUID | None) -> Row:
    slot = SLOT.get()
    return {
        "run": request.run_id,
        "thread": request.thread_id or new_id(),
        "assistant": request.assistant_id,
        "kwargs": json(request.kwargs),
        "metadata": json(request.metadata),
        "user": request.user_id,
        "strategy": request.strategy,
        "alone": request.alone,
        "create": request.create or request.thread_id is None,
        "after": float(request.after_s),
        "session": request.session,
        "filter": json(filters),
        "assistant_filter": json(assistant_filters),
        "worker": worker,
        "origin": WORKER_ID,
        "cron": slot.cron_id if slot else None,
        "slot": slot.at if slot else None,
        "notify": worker is None and request.after_s <= 0 and NOTICE.due(),
        "ttl": json(ttl.of_project()),
    }

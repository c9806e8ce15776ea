"""Runs: accepting, reading, cancelling, and what the worker says of them."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from langgraph_sdk import Auth
from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.database import json
from langgraph_runtime_community.lease import LEASE
from langgraph_runtime_community.ops import accepting, cancelling, changing, guards, working
from langgraph_runtime_community.ops.access import Context, as_uuid, ask, only, rows
from langgraph_runtime_community.ops.run_stream import Stream as RunStream
from langgraph_runtime_community.sealing.objects import read_keys
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("runs.sql"))
RESOURCE = "threads"
RETRY_DELAY_S = 0.5
Row = dict[str, Any]


class Runs:
    """The server's operations on runs. The first argument is the handle of `connect()`, which holds nothing."""

    Stream = RunStream

    @staticmethod
    async def stats(conn: Any) -> Row:
        """Lengths of the queue, and how long runs have waited."""
        return (await database.fetch(QUERIES["stats"]))[0]

    @staticmethod
    async def pool_stats() -> Row:
        """Pools of a core process; there is none."""
        return {}

    @staticmethod
    async def put(
        conn: Any,
        assistant_id: UUID | str,
        kwargs: Row,
        *,
        metadata: Row | None,
        prevent_insert_if_inflight: bool,
        thread_id: UUID | str | None = None,
        user_id: str | None = None,
        run_id: UUID | str | None = None,
        status: str | None = "pending",
        multitask_strategy: str = "reject",
        if_not_exists: str = "reject",
        after_seconds: float = 0,
        ctx: Context = None,
        langsmith_session_name: str | None = None,
    ) -> AsyncIterator[Row]:
        """The new run, then the runs in flight; only these where it must be alone; nothing where it can't be made."""
        request = accepting.Request(
            run_id=as_uuid(run_id) if run_id else accepting.new_id(),
            thread_id=as_uuid(thread_id) if thread_id else None,
            assistant_id=as_uuid(assistant_id),
            kwargs=kwargs,
            metadata=await read_keys(accepting.own_copy(metadata), guards.KEYS),
            user_id=user_id,
            strategy=multitask_strategy,
            alone=prevent_insert_if_inflight,
            create=if_not_exists == "create",
            after_s=accepting.put_off(after_seconds or 0),
            session=langsmith_session_name,
            status=status or "pending",
        )
        return rows(await accepting.accept(request, ctx))

    @staticmethod
    async def get(
        conn: Any, run_id: UUID | str, *, thread_id: UUID | str, ctx: Context = None
    ) -> AsyncIterator[Row]:
        """The run, or nothing."""
        run, thread = as_uuid(run_id), as_uuid(thread_id)
        filters = await ask(RESOURCE, "read", Auth.types.ThreadsRead(thread_id=thread), ctx)
        params = {"run_id": run, "thread_id": thread, "filter": json(filters)}
        return rows(await database.fetch(QUERIES["find"], params))

    @staticmethod
    async def search(
        conn: Any,
        thread_id: UUID | str,
        *,
        limit: int = 10,
        offset: int = 0,
        status: str | None = None,
        select: list[str] | None = None,
        ctx: Context = None,
    ) -> AsyncIterator[Row]:
        """The runs of a thread, newest first."""
        thread, metadata = as_uuid(thread_id), {}
        filters = await ask(
            RESOURCE, "search", Auth.types.ThreadsSearch(thread_id=thread, metadata=metadata), ctx
        )  # fmt: skip
        params = {
            "thread_id": thread, "status": status, "metadata": json(metadata), "limit": limit, "offset": offset,
            "filter": json(filters),
        }  # fmt: skip
        return rows([only(row, select) for row in await database.fetch(QUERIES["search"], params)])

    @staticmethod
    async def delete(
        conn: Any, run_id: UUID | str, *, thread_id: UUID | str, ctx: Context = None
    ) -> AsyncIterator[UUID]:
        """Remove a run with what it saved; HTTPException 404."""
        run, thread = as_uuid(run_id), as_uuid(thread_id)
        asked = Auth.types.ThreadsDelete(thread_id=thread, run_id=run)
        filters = await ask(RESOURCE, "delete", asked, ctx)
        params = {"run_id": run, "thread_id": thread, "filter": json(filters)}
        found = await database.fetch_one(QUERIES["delete"], params)
        if not found or not found["deleted"]:
            raise HTTPException(404, "Run not found")
        working.removed(thread, run)
        if found["undone"]:
            await changing.follow(thread)
        return rows([run])

    @staticmethod
    async def cancel(
        conn: Any,
        run_ids: Sequence[UUID | str] | None = None,
        *,
        action: str = "interrupt",
        thread_id: UUID | str | None = None,
        status: str | None = None,
        assistant_id: UUID | str | None = None,
        ctx: Context = None,
        reason: str | None = None,
    ) -> None:
        """Cancel runs of a thread, or all of a status; HTTPException 404 where there is nothing to cancel."""
        await cancelling.cancel(run_ids, action, thread_id, status, reason, ctx)

    @staticmethod
    async def set_status(conn: Any, run_id: UUID | str, status: str) -> None:
        """From the worker: a run that failed in a way that may pass goes back into the queue, a bit later each time.

        The queue does that, which is about to be given what it failed with.
        """
        lease = LEASE.get()
        if lease is None or lease.run_id != as_uuid(run_id) or status != "pending":
            raise HTTPException(500, "only a run's worker can put it back into the queue")
        lease.pause_s = RETRY_DELAY_S * 2 ** (lease.attempt - 1)

    @staticmethod
    @asynccontextmanager
    async def enter(
        run_id: UUID | str, thread_id: UUID | str | None, loop: Any, resumable: bool
    ) -> AsyncIterator[Any]:
        """Around a worker: yields what a cancellation sets; when the worker is through, clients are told."""
        lease = LEASE.get()
        if lease is None:
            raise HTTPException(500, "a run is worked on from the queue only")
        async with working.entered(lease) as cancelled:
            yield cancelled

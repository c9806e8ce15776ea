"""Threads: rows, and what hangs on them."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from langgraph_sdk import Auth
from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.database import json
from langgraph_runtime_community.errors import LeaseLost
from langgraph_runtime_community.lease import LEASE
from langgraph_runtime_community.ops import ending, pruning, ttl, working
from langgraph_runtime_community.ops.access import Context, as_uuid, ask, only, rows
from langgraph_runtime_community.ops.sorting import page, sorting
from langgraph_runtime_community.ops.state import State as ThreadState
from langgraph_runtime_community.ops.thread_stream import Stream as ThreadStream
from langgraph_runtime_community.sealing.objects import open_thread
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("threads.sql"))
SORTABLE = frozenset({"thread_id", "created_at", "updated_at", "state_updated_at", "status"})
SHOWN = (
    "thread_id", "created_at", "updated_at", "state_updated_at", "metadata", "config", "status", "values",
    "interrupts", "error",
)  # fmt: skip
RESOURCE = "threads"
Row = dict[str, Any]


class Threads:
    """The server's operations on threads. The first argument is the handle of `connect()`, which holds nothing."""

    State = ThreadState
    Stream = ThreadStream

    @staticmethod
    async def search(
        conn: Any,
        *,
        ids: Sequence[str | UUID] | None = None,
        metadata: Row | None,
        values: Row | None,
        status: str | None,
        limit: int,
        offset: int,
        sort_by: str | None = None,
        sort_order: str | None = None,
        select: list[str] | None = None,
        extract: dict[str, str] | None = None,
        ctx: Context = None,
    ) -> tuple[AsyncIterator[Row], int | None]:
        """A page of threads, the last updated first unless told otherwise, and the next offset."""
        from langgraph_api.utils.extract import extract_path_value

        metadata, values = metadata or {}, values or {}
        asked = Auth.types.ThreadsSearch(
            metadata=metadata, values=values, status=status, limit=limit, offset=offset  # pyright: ignore[reportArgumentType]
        )  # fmt: skip
        params = await _params(asked, metadata, values, status, ctx)
        column, ascending = sorting(sort_by, sort_order, SORTABLE, "updated_at")
        found, following = await page(
            QUERIES["search"], {**params, "ids": [_known(value) for value in ids] if ids else None},
            sort_by=column, ascending=ascending, key="thread_id", limit=limit, offset=offset,
        )  # fmt: skip
        found = [await open_thread(row) for row in found]
        shown = [only(row, select) for row in found]
        if extract:
            for row, part in zip(found, shown, strict=True):
                part["extracted"] = {name: extract_path_value(row, path) for name, path in extract.items()}
        return rows(shown), following

    @staticmethod
    async def count(
        conn: Any, *, metadata: Row | None = None, values: Row | None = None, status: str | None = None,
        ctx: Context = None,
    ) -> int:  # fmt: skip
        """How many threads a search finds."""
        metadata, values = metadata or {}, values or {}
        asked = Auth.types.ThreadsSearch(metadata=metadata, values=values, status=status, limit=0, offset=0)  # pyright: ignore[reportArgumentType]
        found = await database.fetch(QUERIES["count"], await _params(asked, metadata, values, status, ctx))
        return found[0]["total"]

    @staticmethod
    async def get(
        conn: Any,
        thread_id: UUID | str,
        ctx: Context = None,
        include_ttl: bool = False,
        read_mask_paths: list[str] | None = None,
    ) -> AsyncIterator[Row]:
        """The thread; HTTPException 404. With a mask only its id: whoever sends one asks whether it is there."""
        known = as_uuid(thread_id)
        filters = await ask(RESOURCE, "read", Auth.types.ThreadsRead(thread_id=known), ctx)
        query = QUERIES["exists"] if read_mask_paths is not None else QUERIES["find"]
        found = await database.fetch(query, {"thread_id": known, "filter": json(filters)})
        if not found:
            raise HTTPException(404, f"Thread with ID {known} not found")
        return rows(found if read_mask_paths is not None else [await _shown(found[0], include_ttl)])

    @staticmethod
    async def put(
        conn: Any, thread_id: UUID | str, *, metadata: Row | None, if_exists: str, ttl: Any = None, ctx: Context = None
    ) -> AsyncIterator[Row]:  # fmt: skip
        """Make a thread; one that is there already is 409, or returned as it is (`do_nothing`)."""
        known, metadata = as_uuid(thread_id), metadata or {}
        asked = Auth.types.ThreadsCreate(thread_id=known, metadata=metadata, if_exists=if_exists)  # pyright: ignore[reportArgumentType]
        filters = await ask(RESOURCE, "create", asked, ctx)
        made = await database.fetch(
            QUERIES["insert"], {"thread_id": known, "metadata": json(metadata), **_ttl(ttl)}
        )
        if made:
            return rows([await _shown(made[0])])
        there = await database.fetch(QUERIES["find"], {"thread_id": known, "filter": json(filters)})
        if not there or if_exists != "do_nothing":
            raise HTTPException(409, f"Thread with ID {known} already exists")
        return rows([await _shown(there[0])])

    @staticmethod
    async def patch(
        conn: Any,
        thread_id: UUID | str,
        *,
        metadata: Row,
        ttl: Any = None,
        ctx: Context = None,
        read_mask_paths: list[str] | None = None,
    ) -> AsyncIterator[Row]:
        """Merge metadata; the thread, or nothing."""
        known = as_uuid(thread_id)
        filters = await ask(
            RESOURCE, "update", Auth.types.ThreadsUpdate(thread_id=known, metadata=metadata), ctx
        )
        given = _ttl(ttl) if ttl is not None else {"strategy": None, "minutes": None}
        params = {"thread_id": known, "metadata": json(metadata), "filter": json(filters), **given}
        return rows([await _shown(row) for row in await database.fetch(QUERIES["patch"], params)])

    @staticmethod
    async def delete(conn: Any, thread_id: UUID | str, ctx: Context = None) -> AsyncIterator[UUID]:
        """Remove a thread with everything; HTTPException 404.

        The worker calls this at the end of a stateless run. There it only notes it: the queue knows how the run
        ended, and removes the thread in the transaction that writes the webhook.
        """
        known = as_uuid(thread_id)
        lease = LEASE.get()
        if lease is not None and lease.thread_id == known and lease.temporary:
            if lease.lost:
                raise LeaseLost(f"run {lease.run_id} is another worker's by now")
            lease.deletes_thread = True
            return rows([known])
        filters = await ask(RESOURCE, "delete", Auth.types.ThreadsDelete(thread_id=known), ctx)
        found = await database.fetch(QUERIES["delete"], {"thread_id": known, "filter": json(filters)})
        if not found or not found[0]["deleted"]:
            raise HTTPException(404, f"Thread with ID {known} not found")
        working.removed(known)
        return rows([known])

    @staticmethod
    async def copy(conn: Any, thread_id: UUID | str, ctx: Context = None) -> AsyncIterator[Row]:
        """A new thread with the same state and history; nothing if there is none to copy."""
        known, copy = as_uuid(thread_id), uuid4()
        filters = await ask(RESOURCE, "read", Auth.types.ThreadsRead(thread_id=known), ctx)
        await ask(RESOURCE, "create", Auth.types.ThreadsCreate(thread_id=copy), ctx)
        params = {"thread_id": known, "copy": copy, "filter": json(filters)}
        async with database.connection() as conn_, conn_.transaction():
            made = await (await conn_.execute(QUERIES["copy"], params)).fetchall()
            if made:
                await conn_.execute(QUERIES["copy_checkpoints"], params)
        return rows([await _shown(row) for row in made])

    @staticmethod
    async def prune(
        thread_ids: Sequence[str | UUID], strategy: str = "delete", batch_size: int = 100, ctx: Context = None
    ) -> int:
        """Remove threads, or all but their latest state; how many. HTTPException 404 if one is not the caller's."""
        known = [as_uuid(thread_id) for thread_id in thread_ids]
        filters = await ask(RESOURCE, "delete", {"thread_ids": thread_ids}, ctx)
        found = await database.fetch(QUERIES["visible"], {"ids": known, "filter": json(filters)})
        if filters and len(found) < len(set(known)):
            raise HTTPException(404, "At least one thread not found or not authorized")
        return await pruning.prune([row["thread_id"] for row in found], strategy)

    @staticmethod
    async def set_joint_status(
        conn: Any,
        thread_id: UUID | str,
        run_id: UUID | str,
        run_status: str,
        graph_id: str,
        checkpoint: Any = None,
        exception: BaseException | None = None,
    ) -> None:
        """From the worker: the run ends, the thread gets its state, and a webhook is written, all or nothing."""
        await ending.end(run_status, graph_id, checkpoint, exception)


async def _params(asked: Any, metadata: Row, values: Row, status: str | None, ctx: Context) -> Row:
    filters = await ask(RESOURCE, "search", asked, ctx)
    return {
        "metadata": json(metadata or None), "values": json(values or None), "status": status, "filter": json(filters)
    }  # fmt: skip


def _known(value: str | UUID) -> UUID:
    try:
        return UUID(str(value))
    except ValueError:
        raise HTTPException(400, f"Invalid thread ID {value}") from None


def _ttl(given: Any) -> Row:
    return ttl.of_request(given)


async def _shown(row: Row, include_ttl: bool = False) -> Row:
    """A thread as the API has it; `ttl` only where it was asked for and is set."""
    thread = await open_thread({name: row[name] for name in SHOWN})
    if include_ttl and (lives := ttl.shown(row)):
        thread["ttl"] = lives
    return thread

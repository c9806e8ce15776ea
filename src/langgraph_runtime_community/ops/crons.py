"""Crons: rows, and the claim of a slot."""

from collections.abc import AsyncIterator
from datetime import datetime
from pathlib import Path
from typing import Any
from uuid import UUID

from langgraph_sdk import Auth
from psycopg.sql import SQL
from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.database import json
from langgraph_runtime_community.ops import cron_payload, cron_times
from langgraph_runtime_community.ops.accepting import new_id
from langgraph_runtime_community.ops.access import Context, as_uuid, ask, only, rows
from langgraph_runtime_community.ops.slots import SLOT, Slot
from langgraph_runtime_community.ops.sorting import page, part, sorting
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("crons.sql"))
SHOWN = (
    "cron_id", "assistant_id", "thread_id", "on_run_completed", "end_time", "schedule", "timezone", "created_at",
    "updated_at", "user_id", "payload", "next_run_date", "metadata", "enabled",
)  # fmt: skip
SORTABLE = frozenset(
    {"cron_id", "assistant_id", "thread_id", "next_run_date", "end_time", "created_at", "updated_at"}
)
RESOURCE = "crons"
Row = dict[str, Any]


class Crons:
    """The server's operations on crons. The first argument is the handle of `connect()`, which holds nothing."""

    @staticmethod
    async def put(
        conn: Any,
        *,
        payload: Row,
        schedule: str,
        enabled: bool,
        cron_id: UUID | None = None,
        thread_id: UUID | str | None = None,
        on_run_completed: str | None = None,
        end_time: Any = None,
        metadata: Row | None = None,
        timezone: str | None = None,
        ctx: Context = None,
    ) -> AsyncIterator[Row]:
        """A new cron; HTTPException 404 for an assistant or thread that is not there, 422 for a bad schedule."""
        from langgraph_api.graph import get_assistant_id
        from langgraph_api.utils import get_auth_ctx

        caller = ctx or get_auth_ctx()
        user_id = caller.user.identity if caller is not None else None
        cron, thread, metadata = (
            cron_id or new_id(),
            as_uuid(thread_id) if thread_id else None,
            metadata or {},
        )
        payload = cron_payload.made(payload, cron)
        asked: Any = {
            "payload": payload, "schedule": schedule, "cron_id": cron, "thread_id": thread, "user_id": user_id,
            "end_time": end_time, "metadata": metadata,
        }  # fmt: skip
        await ask(RESOURCE, "create", asked, ctx)
        async with database.connection() as conn_:
            now = await _now(conn_)
        next_run = await cron_times.following(schedule, now, timezone)
        payload["assistant_id"] = get_assistant_id(payload["assistant_id"])
        await _require(payload["assistant_id"], thread, ctx)
        params = {
            "cron_id": cron, "assistant_id": as_uuid(payload["assistant_id"]), "thread_id": thread,
            "on_run_completed": None if thread else on_run_completed or "delete", "end_time": end_time,
            "schedule": schedule, "timezone": timezone, "user_id": user_id, "payload": json(payload),
            "metadata": json(metadata), "enabled": enabled, "next_run_date": next_run,
        }  # fmt: skip
        return rows([only(row, SHOWN) for row in await database.fetch(QUERIES["insert"], params)])

    @staticmethod
    async def update(
        conn: Any,
        *,
        cron_id: UUID | str,
        schedule: str | None = None,
        end_time: Any = None,
        clear_end_time: bool = False,
        enabled: bool | None = None,
        on_run_completed: str | None = None,
        payload: Row | None = None,
        metadata: Row | None = None,
        timezone: str | None = None,
        ctx: Context = None,
    ) -> AsyncIterator[Row]:
        """Change what is given. A cron that is switched on again does not fire for the past."""
        known = as_uuid(cron_id)
        asked: Any = {
            "cron_id": known, "schedule": schedule, "end_time": end_time, "enabled": enabled,
            "on_run_completed": on_run_completed, "payload": payload,
            **({"metadata": metadata} if metadata is not None else {}),
        }  # fmt: skip
        filters = await ask(RESOURCE, "update", asked, ctx)
        given = (schedule, end_time, enabled, on_run_completed, payload, metadata, timezone)
        if not clear_end_time and all(value is None for value in given):
            raise HTTPException(400, "No fields to update")
        async with database.connection() as conn_, conn_.transaction():
            key = {"cron_id": known, "filter": json(filters)}
            before = await (await conn_.execute(QUERIES["lock"], key)).fetchone()
            if before is None:
                raise HTTPException(404, f"Cron '{known}' not found")
            after = cron_payload.changed(before, known, asked, clear_end_time, timezone)
            resumed = after["enabled"] and not before["enabled"]
            if resumed or schedule is not None or timezone is not None:
                next_run = await cron_times.following(after["schedule"], await _now(conn_), after["timezone"])
                after["next_run_date"] = next_run
            row = await (await conn_.execute(QUERIES["update"], after)).fetchall()
        return rows([only(each, SHOWN) for each in row])

    @staticmethod
    async def get(conn: Any, cron_id: UUID | str, ctx: Context = None) -> AsyncIterator[Row]:
        """The cron, or nothing."""
        known = as_uuid(cron_id)
        filters = await ask(RESOURCE, "read", Auth.types.CronsRead(cron_id=known), ctx)
        found = await database.fetch(QUERIES["find"], {"cron_id": known, "filter": json(filters)})
        return rows([only(row, SHOWN) for row in found])

    @staticmethod
    async def delete(conn: Any, cron_id: UUID | str, ctx: Context = None) -> AsyncIterator[UUID]:
        """Remove it; its id, or nothing if it was not there."""
        known = as_uuid(cron_id)
        filters = await ask(RESOURCE, "delete", Auth.types.CronsDelete(cron_id=known), ctx)
        gone = await database.fetch(QUERIES["delete"], {"cron_id": known, "filter": json(filters)})
        return rows([row["cron_id"] for row in gone])

    @staticmethod
    async def next(conn: Any, ctx: Context = None) -> AsyncIterator[Row]:
        """Crons that are due, one after the other, each claimed by one process. What the server makes of one is
        made for its slot, until the next is asked for."""
        await database.execute(QUERIES["retire"])
        while row := await database.fetch_one(QUERIES["claim"]):
            SLOT.set(Slot(row["cron_id"], row["next_run_date"]))
            yield {**only(row, SHOWN), "now": row["now"]}
            SLOT.set(None)

    @staticmethod
    async def set_next_run_date(
        conn: Any, cron_id: UUID | str, next_run_date: datetime, ctx: Context = None
    ) -> None:
        """After a slot was used: the cron moves on from it, and only from it."""
        slot = SLOT.get()
        params = {
            "cron_id": as_uuid(cron_id),
            "next_run_date": next_run_date,
            "slot": slot.at if slot else None,
        }
        await database.execute(QUERIES["advance"], params)

    @staticmethod
    async def search(
        conn: Any,
        *,
        assistant_id: UUID | str | None,
        thread_id: UUID | str | None,
        enabled: bool | None,
        limit: int,
        offset: int,
        select: list[str] | None = None,
        ctx: Context = None,
        sort_by: str | None = None,
        sort_order: str | None = None,
        metadata: Row | None = None,
    ) -> tuple[AsyncIterator[Row], int | None]:
        """A page of crons, newest first unless told otherwise, and the next offset."""
        if sort_by and sort_by.lower() not in SORTABLE:
            raise HTTPException(
                422, f"Invalid sort_by field: '{sort_by}'. Valid: {', '.join(sorted(SORTABLE))}"
            )
        asked = {
            "assistant_id": assistant_id, "thread_id": thread_id, "limit": limit, "offset": offset,
            "metadata": metadata or {},
        }  # fmt: skip
        params = await _search_params(asked, enabled, ctx)
        column, ascending = sorting(sort_by, sort_order, SORTABLE, "created_at")
        found, following = await page(
            QUERIES["search"],
            params,
            sort_by=column,
            ascending=ascending,
            key="cron_id",
            limit=limit,
            offset=offset,
        )
        return rows([only(row, select or SHOWN) for row in found]), following

    @staticmethod
    async def count(
        conn: Any, *, assistant_id: UUID | str | None = None, thread_id: UUID | str | None = None,
        metadata: Row | None = None, ctx: Context = None,
    ) -> int:  # fmt: skip
        """How many crons a search finds."""
        asked = {
            "assistant_id": assistant_id, "thread_id": thread_id, "limit": 0, "offset": 0, "metadata": metadata or {}
        }  # fmt: skip
        params = await _search_params(asked, None, ctx)
        query = SQL("SELECT count(*) AS total FROM (") + part(QUERIES["search"]) + SQL(") found")
        return (await database.fetch(query, params))[0]["total"]


async def _search_params(asked: Any, enabled: bool | None, ctx: Context) -> Row:
    filters = await ask(RESOURCE, "search", asked, ctx)
    thread_id = asked["thread_id"]
    if thread_id:
        threads = await ask("threads", "read", Auth.types.ThreadsRead(thread_id=as_uuid(thread_id)), ctx)
    else:
        threads = await ask("threads", "search", Auth.types.ThreadsSearch(), ctx)
    return {
        "assistant_id": asked["assistant_id"], "thread_id": thread_id, "enabled": enabled,
        "metadata": json(asked["metadata"]), "filter": json(filters), "thread_filter": json(threads),
    }  # fmt: skip


async def _require(assistant_id: str, thread: UUID | None, ctx: Context) -> None:
    """HTTPException 404 unless the caller may read the assistant, and the thread if there is one."""
    from langgraph_api.graph import SYSTEM_ASSISTANT_IDS

    known = as_uuid(assistant_id)
    filters = None
    if str(known) not in SYSTEM_ASSISTANT_IDS:
        filters = await ask("assistants", "read", Auth.types.AssistantsRead(assistant_id=known), ctx)
    if not await database.fetch(QUERIES["assistant"], {"assistant_id": known, "filter": json(filters)}):
        raise HTTPException(404, f"Assistant '{assistant_id}' not found")
    if thread is None:
        return
    filters = await ask("threads", "read", Auth.types.ThreadsRead(thread_id=thread), ctx)
    if not await database.fetch(QUERIES["thread"], {"thread_id": thread, "filter": json(filters)}):
        raise HTTPException(
            404, f"Thread with ID '{thread}' not found: see that the ID is right and it was not deleted."
        )


async def _now(conn: database.Connection) -> datetime:
    """By the clock of the database, which is one for all processes, and judges what is due."""
    row = await (await conn.execute(QUERIES["now"])).fetchone()
    assert row is not None
    return row["now"]

"""Assistants and their versions. Every change is a version; the current one is any of them."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

from langgraph_sdk import Auth
from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.database import json
from langgraph_runtime_community.ops import signatures
from langgraph_runtime_community.ops.access import Context, as_uuid, ask, only, rows
from langgraph_runtime_community.ops.signatures import Signature
from langgraph_runtime_community.ops.sorting import page, sorting
from langgraph_runtime_community.sealing.objects import read_keys
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("assistants.sql"))
SORTABLE = frozenset({"assistant_id", "graph_id", "name", "created_at", "updated_at"})
RESOURCE = "assistants"
ENCRYPTION_MARK = "__encryption_context__"
Row = dict[str, Any]


class Assistants:
    """The server's operations on assistants. The first argument is the handle of `connect()`, which holds nothing."""

    @staticmethod
    async def search(
        conn: Any,
        *,
        graph_id: str | None,
        name: str | None,
        metadata: Row | None,
        limit: int,
        offset: int,
        sort_by: str | None = None,
        sort_order: str | None = None,
        select: list[str] | None = None,
        ctx: Context = None,
    ) -> tuple[AsyncIterator[Row], int | None]:
        """A page of assistants, newest first unless told otherwise, and the next offset."""
        metadata = metadata or {}
        asked = Auth.types.AssistantsSearch(graph_id=graph_id, metadata=metadata, limit=limit, offset=offset)
        params = await _params(asked, graph_id, name, metadata, ctx)
        column, ascending = sorting(sort_by, sort_order, SORTABLE, "created_at")
        found, following = await page(
            QUERIES["search"], params, sort_by=column, ascending=ascending, key="assistant_id",
            limit=limit, offset=offset,
        )  # fmt: skip
        return rows([only(row, select) for row in found]), following

    @staticmethod
    async def count(
        conn: Any, *, graph_id: str | None = None, name: str | None = None, metadata: Row | None = None,
        ctx: Context = None,
    ) -> int:  # fmt: skip
        """How many assistants a search finds."""
        metadata = metadata or {}
        asked = Auth.types.AssistantsSearch(graph_id=graph_id, metadata=metadata, limit=0, offset=0)
        found = await database.fetch(QUERIES["count"], await _params(asked, graph_id, name, metadata, ctx))
        return found[0]["total"]

    @staticmethod
    async def get(conn: Any, assistant_id: UUID | str, ctx: Context = None) -> AsyncIterator[Row]:
        """The assistant, or nothing."""
        known = as_uuid(assistant_id)
        filters = await ask(RESOURCE, "read", Auth.types.AssistantsRead(assistant_id=known), ctx)
        return rows(await database.fetch(QUERIES["find"], {"assistant_id": known, "filter": json(filters)}))

    @staticmethod
    async def put(
        conn: Any,
        assistant_id: UUID | str,
        *,
        graph_id: str,
        config: Row,
        context: Row | None,
        metadata: Row | None,
        if_exists: str,
        name: str,
        description: str | None = None,
        system: bool = False,
        ctx: Context = None,
    ) -> AsyncIterator[Row]:
        """Make an assistant; one that is there already is 409, or returned as it is (`do_nothing`)."""
        from langgraph_api.graph import assert_graph_exists

        known, config, metadata = as_uuid(assistant_id), config or {}, await _readable(metadata)
        signature = signatures.taken_from(metadata, ctx)
        signatures.require_none_expected(signature)
        filters = await ask(
            RESOURCE, "create",
            Auth.types.AssistantsCreate(
                assistant_id=known, graph_id=graph_id, config=config, context=context or {}, metadata=metadata,
                name=name,
            ),
            ctx,
        )  # fmt: skip
        config, context = _in_step(config, context)
        assert_graph_exists(graph_id)
        made = await database.fetch(
            QUERIES["insert"],
            {
                "assistant_id": known, "graph_id": graph_id, "name": name, "description": description,
                "config": json(config), "context": json(context or {}), "metadata": json(metadata),
                "author": None if system else signature.author, "reason": signature.reason,
            },
        )  # fmt: skip
        if made:
            return rows(made)
        there = await database.fetch(QUERIES["find"], {"assistant_id": known, "filter": json(filters)})
        if not there or if_exists != "do_nothing":
            raise HTTPException(409, f"Assistant {known} already exists")
        return rows(there)

    @staticmethod
    async def patch(
        conn: Any,
        assistant_id: UUID | str,
        *,
        config: Row | None = None,
        context: Row | None = None,
        graph_id: str | None = None,
        metadata: Row | None = None,
        name: str | None = None,
        description: str | None = None,
        ctx: Context = None,
    ) -> AsyncIterator[Row]:
        """A new version with what is given; metadata merges, the rest replaces; it becomes the current one."""
        from langgraph_api.graph import assert_graph_exists

        known, config, metadata = as_uuid(assistant_id), config or {}, await _readable(metadata)
        signature = signatures.taken_from(metadata, ctx)
        filters = await ask(
            RESOURCE, "update",
            Auth.types.AssistantsUpdate(
                assistant_id=known, graph_id=graph_id, config=config, context=context or {}, metadata=metadata,
                name=name,
            ),
            ctx,
        )  # fmt: skip
        config, context = _in_step(config, context)
        if graph_id is not None:
            assert_graph_exists(graph_id)
        async with database.connection() as conn_, conn_.transaction():
            key = {"assistant_id": known}
            before = await (await conn_.execute(QUERIES["lock"], {**key, "filter": json(filters)})).fetchone()
            if before is None:
                raise HTTPException(404, f"Assistant {known} not found")
            await _require_expected(conn_, before, signature)
            version = await (await conn_.execute(QUERIES["next_version"], key)).fetchone()
            number = version["version"] if version else 1
            await conn_.execute(
                QUERIES["add_version"],
                {
                    **key,
                    "version": number,
                    "graph_id": graph_id or before["graph_id"],
                    "name": before["name"] if name is None else name,
                    "description": before["description"] if description is None else description,
                    "config": json(config or before["config"]),
                    "context": json(before["context"] if context is None else context),
                    "metadata": json({**before["metadata"], **metadata}),
                    "author": signature.author,
                    "reason": signature.reason,
                },
            )
            shown = await conn_.execute(QUERIES["show_version"], {**key, "version": number})
            return rows(await shown.fetchall())

    @staticmethod
    async def delete(
        conn: Any, assistant_id: UUID | str, ctx: Context = None, *, delete_threads: bool = False
    ) -> AsyncIterator[UUID]:
        """Remove it with versions and crons, with its threads if asked; its runs in flight are cancelled."""
        from langgraph_runtime_community.ops.cancelling import cancel_all
        from langgraph_runtime_community.ops.threads import Threads

        known = as_uuid(assistant_id)
        filters = await ask(RESOURCE, "delete", Auth.types.AssistantsDelete(assistant_id=known), ctx)
        key = {"assistant_id": known, "filter": json(filters)}
        if not await database.fetch(QUERIES["find"], key):
            raise HTTPException(404, f"Assistant with ID {known} not found")
        if delete_threads:
            for row in await database.fetch(QUERIES["threads_of"], {"assistant_id": str(known)}):
                try:
                    await Threads.delete(conn, row["thread_id"], ctx=ctx)
                except HTTPException:
                    continue  # not the caller's, or gone meanwhile
        running = [row["run_id"] for row in await database.fetch(QUERIES["runs_of"], key)]
        await cancel_all(running, "interrupt", f"assistant {known} was deleted")
        return rows([row["assistant_id"] for row in await database.fetch(QUERIES["delete"], key)])

    @staticmethod
    async def set_latest(
        conn: Any, assistant_id: UUID | str, version: int, ctx: Context = None
    ) -> AsyncIterator[Row]:
        """Make a version the current one again, in every field."""
        known = as_uuid(assistant_id)
        asked = Auth.types.AssistantsUpdate(assistant_id=known, version=version)
        filters = await ask(RESOURCE, "update", asked, ctx)
        async with database.connection() as conn_, conn_.transaction():
            key = {"assistant_id": known, "filter": json(filters), "version": version}
            before = await (await conn_.execute(QUERIES["lock"], key)).fetchone()
            if before is None:
                raise HTTPException(404, f"Assistant {known} not found")
            signature = signatures.of_headers(ctx)
            await _require_expected(conn_, before, signature)
            shown = await (await conn_.execute(QUERIES["show_version"], key)).fetchall()
            note = {**key, "author": signature.author, "reason": signature.reason}
            await conn_.execute(QUERIES["note_shown"], note)
        if not shown:
            raise HTTPException(404, f"Version {version} not found for assistant {known}")
        return rows(shown)

    @staticmethod
    async def get_versions(
        conn: Any,
        assistant_id: UUID | str,
        metadata: Row | None,
        limit: int,
        offset: int,
        ctx: Context = None,
    ) -> AsyncIterator[Row]:
        """The versions of an assistant, newest first."""
        known = as_uuid(assistant_id)
        filters = await ask(RESOURCE, "read", Auth.types.AssistantsRead(assistant_id=known), ctx)
        key = {"assistant_id": known, "filter": json(filters)}
        if not await database.fetch(QUERIES["find"], {"assistant_id": known, "filter": None}):
            raise HTTPException(404, f"Assistant {known} not found")
        paging = {"metadata": json(metadata or {}), "limit": limit, "offset": offset}
        return rows(await database.fetch(QUERIES["versions"], {**key, **paging}))


async def _params(
    asked: Any, graph_id: str | None, name: str | None, metadata: Row, ctx: Context
) -> dict[str, Any]:
    from langgraph_api.graph import assert_graph_exists

    filters = await ask(RESOURCE, "search", asked, ctx)
    if graph_id is not None:
        assert_graph_exists(graph_id)
    return {"graph_id": graph_id, "name": name or None, "metadata": json(metadata), "filter": json(filters)}


async def _readable(metadata: Row | None) -> Row:
    """A copy, in which what speaks to the runtime is no cipher."""
    return dict(await read_keys(metadata or {}, signatures.KEYS))


async def _require_expected(conn: Any, before: Row, signature: Signature) -> None:
    """HTTPException 409 where the writer names the version that it replaces, and another one is current.

    Asked under the row's lock, so that of those who write on several replicas one wins.
    """
    if signature.expected in (None, before["version"]):
        return
    key = {"assistant_id": before["assistant_id"], "version": before["version"]}
    made = await (await conn.execute(QUERIES["author_of"], key)).fetchone()
    signatures.require_current(signature, before["version"], before["name"], made["author"] if made else None)


def _in_step(config: Row, context: Row | None) -> tuple[Row, Row | None]:
    """Configurable and context say the same; HTTPException 400 where both are given. A mark of encryption is none."""
    if context is not None and context.keys() <= {ENCRYPTION_MARK}:
        return config, config.get("configurable") or context
    if config.get("configurable") and context:
        raise HTTPException(
            400,
            "Cannot specify both configurable and context. Give context alone; configurable is its older name.",
        )
    if config.get("configurable"):
        return config, config["configurable"]
    return ({**config, "configurable": context}, context) if context else (config, context)

"""Threads.State: reading and changing a thread's state, through its graph."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from langgraph.types import StateSnapshot, StateUpdate
from langgraph_sdk import Auth
from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.database import json
from langgraph_runtime_community.ops.access import Context, as_uuid, ask
from langgraph_runtime_community.ops.changing import changing
from langgraph_runtime_community.ops.graphs import opened, reader
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("threads.sql"))
Row = dict[str, Any]


class State:
    """The server's operations on states."""

    @staticmethod
    async def get(conn: Any, config: Row, subgraphs: bool = False, ctx: Context = None) -> StateSnapshot:
        """The latest state, or that of the checkpoint in the config; an empty one where no graph is known yet."""
        thread, graph_id = await _thread(config, "read", ctx)
        if graph_id is None:
            return _nothing()
        async with opened(thread, graph_id, config, "threads.read", reader()) as graph:
            snapshot = await graph.aget_state(config, subgraphs=subgraphs)
        if snapshot.metadata and snapshot.metadata.get("checkpoint_ns") == "":
            cast("Row", snapshot.metadata).pop("checkpoint_ns")
        return snapshot

    @staticmethod
    async def list(
        conn: Any, *, config: Row, limit: int = 1, before: Any = None, metadata: Row | None = None, ctx: Context = None
    ) -> list[StateSnapshot]:  # fmt: skip
        """The history, newest first."""
        thread, graph_id = await _thread(config, "read", ctx)
        if graph_id is None:
            return []
        start = {"configurable": {"checkpoint_id": before}} if isinstance(before, str) else before
        if start is not None and "configurable" not in start:
            start = {"configurable": start}
        async with opened(thread, graph_id, config, "threads.read", reader()) as graph:
            history = graph.aget_state_history(config, limit=limit, filter=metadata, before=start)
            return [snapshot async for snapshot in history]

    @staticmethod
    async def post(
        conn: Any, config: Row, values: Any, as_node: str | None = None, ctx: Context = None
    ) -> Row:  # fmt: skip
        """Change the state as if a node had; HTTPException 409 while a run of the thread is in flight."""
        thread, graph_id = await _thread(config, "update", ctx)
        configurable = config["configurable"]
        update = {
            **config,
            "configurable": {"checkpoint_ns": "", **configurable, "graph_id": _needed(graph_id, thread)},
        }
        async with changing(thread, _needed(graph_id, thread), config) as graph:
            made = await graph.aupdate_state(update, values, as_node=as_node)
        configurable = made["configurable"]
        return {
            "checkpoint": configurable, "configurable": configurable, "checkpoint_id": configurable["checkpoint_id"]
        }  # fmt: skip

    @staticmethod
    async def bulk(conn: Any, *, config: Row, supersteps: Sequence[Row], ctx: Context = None) -> Row:
        """Many changes, super-step by super-step, all of them or none; else as `post`."""
        from langgraph_api.command import map_cmd

        thread, graph_id = await _thread(config, "update", ctx)
        config["configurable"].setdefault("graph_id", _needed(graph_id, thread))
        config["configurable"].setdefault("checkpoint_ns", "")
        steps = [
            [
                StateUpdate(
                    cast("Any", map_cmd(update["command"]))
                    if update.get("command")
                    else update.get("values"),
                    update.get("as_node"),
                )
                for update in step.get("updates", [])
            ]
            for step in supersteps
        ]
        async with changing(thread, _needed(graph_id, thread), config) as graph:
            made = await graph.abulk_update_state(config, steps)
        return {"checkpoint": made["configurable"]}


async def _thread(config: Row, action: str, ctx: Context) -> tuple[Row, str | None]:
    """The thread's row, as far as the caller may read or update it, and the id of its graph."""
    thread_id = as_uuid(config["configurable"]["thread_id"])
    allowed = await ask("threads", "read", Auth.types.ThreadsRead(thread_id=thread_id), ctx)
    params = {"thread_id": thread_id, "filter": json(allowed)}
    row = await database.fetch_one(QUERIES["find"], params)
    if row is None:
        raise HTTPException(404, f"Thread with ID {thread_id} not found")
    if action == "update":
        filters = await ask("threads", "update", Auth.types.ThreadsUpdate(thread_id=thread_id), ctx)
        if filters and not await database.fetch_one(QUERIES["exists"], {**params, "filter": json(filters)}):
            raise HTTPException(403, "Forbidden")
    graph_id = row["metadata"].get("graph_id")
    if graph_id is None:
        found = await database.fetch_one(QUERIES["graph_of"], params)
        graph_id = found["graph_id"] if found else None
    return row, graph_id


def _needed(graph_id: str | None, thread: Row) -> str:
    if graph_id is None:
        raise HTTPException(
            400,
            f"Thread '{thread['thread_id']}' has no assigned graph ID: make a run on it, "
            "or set 'graph_id' in its metadata, and try again",
        )
    return graph_id


def _nothing() -> StateSnapshot:
    return StateSnapshot({}, (), cast("Any", None), None, None, None, (), ())

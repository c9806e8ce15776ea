"""A change of state from outside is one transaction: the thread is held, its checkpoints and its row are written."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import Any
from uuid import UUID

import structlog
from langgraph.types import StateSnapshot
from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.database import Connection
from langgraph_runtime_community.ops import graphs
from langgraph_runtime_community.ops.snapshots import columns_of
from langgraph_runtime_community.ops.thread_stream import STATE_UPDATE, Stream
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("threads.sql"))
logger = structlog.stdlib.get_logger(__name__)
LONGEST_S = 60.0
Row = dict[str, Any]


@asynccontextmanager
async def changing(thread: Row, graph_id: str, config: Row) -> AsyncIterator[Any]:
    """The thread's graph, to change the state with; afterwards the thread's row says so, and listeners are told.

    HTTPException 409 while a run of the thread is in flight; none is accepted meanwhile. Where the body fails, nothing
    was changed. A graph in another language writes from a process of its own, hence for itself; its row follows.
    """
    from langgraph_api.js.base import BaseRemotePregel

    known: UUID = thread["thread_id"]
    here = {"configurable": {"thread_id": str(known)}}
    writer, reader = graphs.writer(), graphs.reader()
    async with AsyncExitStack() as stack:
        graph = await stack.enter_async_context(
            graphs.opened(thread, graph_id, config, "threads.update", writer)
        )
        shown = await stack.enter_async_context(graphs.opened(thread, graph_id, here, "threads.read", reader))
        if isinstance(graph, BaseRemotePregel):
            yield graph
            snapshot = await _follow(known, shown, here)
        else:
            async with _held(known) as conn:
                writer.held = reader.held = conn
                yield graph
                snapshot = await shown.aget_state(here)
                await _note(conn, known, snapshot)
    await _tell(known, snapshot)


@asynccontextmanager
async def _held(thread_id: UUID) -> AsyncIterator[Connection]:
    """A transaction that has the thread to itself: whoever accepts a run waits for its end.

    Not for ever: code of the graph that decides what comes next may call its own server, which would wait for us.
    """
    patience = asyncio.timeout(LONGEST_S)
    try:
        async with patience, database.transaction() as conn:
            await conn.execute(QUERIES["hold"], {"thread_id": thread_id})
            runs = await (await conn.execute(QUERIES["in_flight"], {"thread_id": thread_id})).fetchall()
            if runs:
                named = ", ".join(str(row["run_id"]) for row in runs)
                raise HTTPException(409, f"Thread {thread_id} has in-flight runs: {named}")
            yield conn
    except TimeoutError:
        if not patience.expired():
            raise
        why = f"Changing the state of thread {thread_id} took longer than {LONGEST_S:.0f} s: nothing was changed."
        raise HTTPException(503, why) from None


async def _follow(thread_id: UUID, shown: Any, here: Row) -> StateSnapshot:
    """The row of a thread whose state was changed by itself; a run that has come since will write it."""
    with suppress(HTTPException):
        async with _held(thread_id) as conn:
            snapshot = await shown.aget_state(here)
            await _note(conn, thread_id, snapshot)
            return snapshot
    return await shown.aget_state(here)


async def follow(thread_id: UUID) -> None:
    """Have a thread's row say what its state is, once a run of it was undone. Where its graph can't be had it stays."""
    row = await database.fetch_one(QUERIES["find"], {"thread_id": thread_id, "filter": None})
    if row is None or (graph_id := row["metadata"].get("graph_id")) is None:
        return
    here, reader = {"configurable": {"thread_id": str(thread_id)}}, graphs.reader()
    try:
        async with graphs.opened(row, graph_id, here, "threads.read", reader) as shown:
            await _follow(thread_id, shown, here)
    except Exception as error:
        logger.exception("a thread's row can't follow its state", thread_id=str(thread_id), exc_info=error)


async def _note(conn: Connection, thread_id: UUID, snapshot: StateSnapshot) -> None:
    await conn.execute(QUERIES["set_state"], {"thread_id": thread_id, **await columns_of(snapshot)})


async def _tell(thread_id: UUID, snapshot: StateSnapshot) -> None:
    from langgraph_api.serde import json_dumpb
    from langgraph_api.state import state_snapshot_to_thread_state

    told = {"state": state_snapshot_to_thread_state(snapshot), "thread_id": str(thread_id)}
    await Stream.publish(thread_id, STATE_UPDATE, json_dumpb(told))

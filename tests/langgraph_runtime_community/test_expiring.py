"""Threads past their time to live: which of them go, and which stay for something that would go with them."""

from typing import Any
from uuid import UUID, uuid4

import pytest
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from langgraph_runtime_community import database
from langgraph_runtime_community.checkpoint.saver import Checkpointer
from langgraph_runtime_community.ops import pruning


class State(TypedDict, total=False):
    answer: str


async def ask(state: State) -> dict[str, Any]:
    return {"answer": interrupt("really?")}


builder = StateGraph(State)
builder.add_node("ask", ask)
builder.add_edge(START, "ask")

THREAD = """INSERT INTO server.threads (thread_id, status, settled, ttl_strategy, ttl_minutes, expires_at)
VALUES (%(thread)s, %(status)s, 'idle', %(strategy)s, 60, now() - interval '1 minute')"""
ASSISTANT = (
    """INSERT INTO server.assistants (assistant_id, graph_id, name, version) VALUES (%(it)s, 'g', 'g', 1)"""
)
VERSION = """INSERT INTO server.assistant_versions (assistant_id, version, graph_id, name, config, context, metadata)
VALUES (%(it)s, 1, 'g', 'g', '{}', '{}', '{}')"""
CRON = """INSERT INTO server.crons (cron_id, assistant_id, thread_id, schedule, payload, next_run_date)
VALUES (gen_random_uuid(), %(it)s, %(thread)s, '0 0 1 1 *', '{}', now() + interval '1 year')"""
HOOK = """INSERT INTO server.outbox (run_id, thread_id, url, payload, dead_at)
VALUES (gen_random_uuid(), %(thread)s, 'http://127.0.0.1:9/', '{}', %(dead)s)"""


async def expired(strategy: str = "delete", status: str = "idle") -> UUID:
    thread = uuid4()
    await database.execute(THREAD, {"thread": thread, "strategy": strategy, "status": status})
    return thread


async def asking(thread: UUID) -> None:
    """The row says nothing of it."""
    graph = builder.compile(checkpointer=Checkpointer(lease=None))
    await graph.ainvoke({}, {"configurable": {"thread_id": str(thread)}})


async def with_cron(thread: UUID) -> None:
    assistant = uuid4()
    async with database.connection() as conn, conn.transaction():
        await conn.execute(ASSISTANT, {"it": assistant})
        await conn.execute(VERSION, {"it": assistant})
        await conn.execute(CRON, {"it": assistant, "thread": thread})


async def with_hook(thread: UUID, dead: str | None = None) -> None:
    await database.execute(HOOK, {"thread": thread, "dead": dead})


async def left() -> set[UUID]:
    return {row["thread_id"] for row in await database.fetch("SELECT thread_id FROM server.threads")}


async def test_what_may_go_goes_and_the_rest_stays(runtime: str) -> None:
    gone = {await expired(), await expired(status="error")}
    given_up = await expired()
    await with_hook(given_up, dead="2020-01-01")
    asks, serves, tells = [await expired() for _ in range(3)]
    await asking(asks)
    await with_cron(serves)
    await with_hook(tells)
    busy = await expired(status="busy")
    assert await pruning.sweep(100) == len(gone) + 1
    assert await left() == {asks, serves, tells, busy}
    assert await database.fetch("SELECT 1 AS yes FROM server.crons WHERE thread_id = %(t)s", {"t": serves})
    assert not await database.fetch(
        "SELECT 1 AS yes FROM server.outbox WHERE thread_id = %(t)s", {"t": given_up}
    )


async def test_the_history_goes_and_the_time_begins_anew(runtime: str) -> None:
    with_history = await expired("keep_latest")
    await with_cron(with_history)
    graph = builder.compile(checkpointer=Checkpointer(lease=None))
    config: Any = {"configurable": {"thread_id": str(with_history)}}
    await graph.aupdate_state(config, {"answer": "one"}, as_node="ask")
    await graph.aupdate_state(config, {"answer": "two"}, as_node="ask")
    assert await pruning.sweep(100) == 1
    assert await pruning.sweep(100) == 0
    saved = await database.fetch(
        "SELECT 1 AS yes FROM checkpoints WHERE thread_id = %(t)s", {"t": str(with_history)}
    )
    assert len(saved) == 1


@pytest.mark.parametrize("strategy", ["delete", "keep_latest"])
async def test_it_is_judged_again_once_it_is_held(
    runtime: str, monkeypatch: pytest.MonkeyPatch, strategy: str
) -> None:
    """What came between the look and the lock keeps its thread, and its history."""
    thread, fetch = await expired(strategy), database.fetch

    async def overtaken(query: Any, params: Any = None) -> Any:
        found = await fetch(query, params)
        if query == pruning.QUERIES["expired"]:
            await asking(thread)
        return found

    monkeypatch.setattr(database, "fetch", overtaken)
    assert await pruning.sweep(100) == 0
    assert thread in await left()

"""The checkpointer alone: the library's conformance suite with all capabilities, the fence, rollback, pruning."""

import time
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from langgraph.checkpoint.conformance import checkpointer_test, validate
from langgraph.graph import START, StateGraph
from langgraph.types import Command, interrupt
from langgraph_api.asyncio import ValueEvent
from typing_extensions import TypedDict

from langgraph_runtime_community import database
from langgraph_runtime_community.checkpoint import storage
from langgraph_runtime_community.checkpoint.saver import Checkpointer
from langgraph_runtime_community.errors import Conflict, LeaseLost, RunInFlight
from langgraph_runtime_community.lease import Lease
from langgraph_runtime_community.pulse import PULSE


async def test_the_librarys_conformance_suite(runtime: str) -> None:
    @checkpointer_test(name="community")
    async def made() -> AsyncIterator[Checkpointer]:
        yield Checkpointer(lease=None)

    report = await validate(made)
    report.print_report()
    assert report.passed_all(), report.to_dict()


async def at_work(thread: UUID, run: UUID, epoch: int = 1) -> Lease:
    """A run in the database as its worker has it, and the lease."""
    keys = {"r": run, "t": thread, "e": epoch}
    await database.execute(
        "INSERT INTO server.threads (thread_id) VALUES (%(t)s) ON CONFLICT DO NOTHING", keys
    )
    await database.execute(
        "INSERT INTO server.runs (run_id, thread_id, assistant_id, status, kwargs, multitask_strategy, created_at,"
        " due_at, epoch, worker_id)"
        " VALUES (%(r)s, %(t)s, %(r)s, 'running', '{}', 'enqueue', now(), now(), %(e)s, %(r)s)",
        keys,
    )
    PULSE.beat(time.monotonic())  # there is no heartbeat in this process
    return Lease(run, thread, epoch, 1, 1, {"kwargs": {}}, ValueEvent())


class State(TypedDict):
    n: int


def counting(steps: int) -> Any:
    builder = StateGraph(State)
    names = [f"s{at}" for at in range(steps)]
    for before, name in zip([START, *names], names, strict=False):

        async def work(state: State) -> dict[str, Any]:
            return {"n": state["n"] + 1}

        builder.add_node(name, work)
        builder.add_edge(before, name)
    return builder


def asking() -> Any:
    """One node that asks, one that acts."""

    async def ask(state: State) -> dict[str, Any]:
        return {"n": state["n"] + interrupt("how many more?")}

    async def act(state: State) -> dict[str, Any]:
        return {}

    builder = StateGraph(State)
    builder.add_node("ask", ask)
    builder.add_node("act", act)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", "act")
    return builder


async def everything() -> list[Any]:
    """All checkpoints, blobs and pending writes."""
    return [
        await database.fetch("SELECT * FROM checkpoints ORDER BY 1, 2, 3"),
        await database.fetch("SELECT * FROM checkpoint_blobs ORDER BY 1, 2, 3, 4"),
        await database.fetch("SELECT * FROM checkpoint_writes ORDER BY 1, 2, 3, 4, 5"),
    ]


def config(thread: UUID, run: UUID) -> Any:
    return {"configurable": {"thread_id": str(thread), "run_id": str(run)}}


async def test_a_step_is_one_statement(runtime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    thread, run = uuid4(), uuid4()
    lease = await at_work(thread, run)
    graph = counting(3).compile(checkpointer=Checkpointer(lease=lease))
    calls = 0
    execute = database.execute

    async def counted(*args: Any) -> int:
        nonlocal calls
        calls += 1
        return await execute(*args)

    monkeypatch.setattr(database, "execute", counted)
    monkeypatch.setattr("langgraph_runtime_community.checkpoint.step.PATIENCE_S", 5)
    assert (await graph.ainvoke({"n": 0}, config(thread, run)))["n"] == 3
    assert calls == 5  # the input, the start, and one a step


async def test_a_worker_that_lost_its_run_saves_nothing(runtime: str) -> None:
    thread, run = uuid4(), uuid4()
    lease = await at_work(thread, run)
    graph = counting(2).compile(checkpointer=Checkpointer(lease=lease))
    await database.execute("UPDATE server.runs SET epoch = 2 WHERE run_id = %(r)s", {"r": run})
    with pytest.raises(LeaseLost):
        await graph.ainvoke({"n": 5}, config(thread, run), durability="sync")
    assert lease.lost
    assert not await database.fetch("SELECT 1 FROM checkpoints UNION ALL SELECT 1 FROM checkpoint_writes")


async def test_from_outside_nothing_is_saved_while_a_run_is_in_flight(runtime: str) -> None:
    thread, run = uuid4(), uuid4()
    await at_work(thread, run)
    graph = counting(1).compile(checkpointer=Checkpointer(lease=None))
    with pytest.raises(RunInFlight):
        await graph.ainvoke({"n": 0}, config(thread, run), durability="sync")


async def test_a_run_is_forgotten_with_its_writes_onto_others_checkpoints(runtime: str) -> None:
    thread, first, second = uuid4(), uuid4(), uuid4()
    saver = Checkpointer(lease=await at_work(thread, first))
    paused = asking().compile(checkpointer=saver)
    await paused.ainvoke({"n": 1}, config(thread, first), durability="sync")
    await database.execute("DELETE FROM server.runs WHERE run_id = %(r)s", {"r": first})
    before = await everything()
    lease = await at_work(thread, second)
    answered = asking().compile(checkpointer=Checkpointer(lease=lease), interrupt_before=["act"])
    await answered.ainvoke(Command(resume=2), config(thread, second), durability="sync")
    assert before != await everything()
    await storage.delete_for_runs([str(second)])
    assert before == await everything()


async def test_what_must_never_happen_is_refused_by_the_database(runtime: str) -> None:
    thread, run = uuid4(), uuid4()
    await at_work(thread, run)
    with pytest.raises(Conflict, match="taken up a run of the same thread"):
        await at_work(thread, uuid4())
    await database.execute(
        "UPDATE server.runs SET status = 'success', worker_id = NULL WHERE run_id = %(r)s", {"r": run}
    )
    with pytest.raises(psycopg.errors.CheckViolation):
        await database.execute("UPDATE server.runs SET status = 'pending' WHERE run_id = %(r)s", {"r": run})

"""A run that is deleted leaves its thread as before it; one on which later runs stand only goes from the list."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from langgraph_runtime_community import database
from langgraph_runtime_community.checkpoint.saver import Checkpointer
from tests.langgraph_runtime_community.test_delta_channels import builder
from tests.langgraph_runtime_community.world import World, key

THREAD = "INSERT INTO server.threads (thread_id) VALUES (%(thread)s)"
RUN = """INSERT INTO server.runs
(run_id, thread_id, assistant_id, status, kwargs, multitask_strategy, created_at, due_at)
VALUES (%(run)s, %(thread)s, gen_random_uuid(), 'success', '{}', 'enqueue', now(), now())"""
DELETE = "SELECT deleted, undone FROM server.delete_run(%(run)s, %(thread)s, NULL)"


async def asked(client: Any, thread: str) -> list[Any]:
    return [each["value"] for each in (await client.threads.get_state(thread))["interrupts"]]


async def answer(client: Any, thread: str, text: str) -> str:
    run = await client.runs.create(thread, "twice", command={"resume": text})
    await client.runs.join(thread, run["run_id"])
    return run["run_id"]


@pytest.fixture
async def answered(client: Any) -> tuple[str, list[str]]:
    """A thread of three runs on one step: the first asks, the second answers and asks anew, the third answers."""
    thread = (await client.threads.create())["thread_id"]
    first = await client.runs.create(thread, "twice", input={"key": key(), "question": "one", "then": "two"})
    await client.runs.join(thread, first["run_id"])
    return thread, [first["run_id"], *[await answer(client, thread, text) for text in ("a", "b")]]


async def test_runs_are_undone_from_the_last_to_the_first(
    client: Any, served_database: str, answered: tuple[str, list[str]]
) -> None:
    thread, (first, second, third) = answered
    assert await asked(client, thread) == []
    for run, question in ((third, "two"), (second, "one")):
        await client.runs.delete(thread, run)
        assert await asked(client, thread) == [question]
        row = await client.threads.get(thread)
        assert row["status"] == "interrupted" and question in str(row["interrupts"])
    again = await answer(client, thread, "c")
    assert await asked(client, thread) == ["two"]
    await client.runs.delete(thread, again)
    await client.runs.delete(thread, first)
    assert (await client.threads.get_state(thread))["values"] == {}
    row = await client.threads.get(thread)
    assert (row["status"], row["interrupts"], row["values"]) == ("idle", {}, {})
    world = World(served_database)
    for table in ("checkpoints", "checkpoint_writes", "checkpoint_blobs", "server.replaced_writes"):
        assert not world.ask(f"SELECT 1 FROM {table} WHERE thread_id = %s", thread)


async def test_what_later_runs_stand_on_stays(client: Any, answered: tuple[str, list[str]]) -> None:
    thread, (first, second, third) = answered
    before = await client.threads.get_history(thread)
    for run in (first, second):
        await client.runs.delete(thread, run)
    assert await client.threads.get_history(thread) == before
    assert [run["run_id"] for run in await client.runs.list(thread)] == [third]


async def test_what_a_later_run_replaced_falls_back_to_what_was_before_both(
    client: Any, served_database: str
) -> None:
    """The second run is undone while the question is there as the third asked it again."""
    thread, world = (await client.threads.create())["thread_id"], World(served_database)
    await client.runs.wait(thread, "plain", input={"key": key(), "question": "one"})
    for _ in range(2):
        await client.runs.wait(thread, "plain", input=None)
    third, second, first = [run["run_id"] for run in await client.runs.list(thread)]
    asks = "SELECT run_id::text FROM checkpoint_writes WHERE thread_id = %s AND channel = '__interrupt__'"
    for undone, asked_by in ((second, third), (third, first)):
        world.ask("SELECT server.forget_run(%s, %s)", thread, undone)
        assert [row["run_id"] for row in world.ask(asks, thread)] == [asked_by]
        assert await asked(client, thread) == ["one"]
    assert not world.ask("SELECT 1 FROM server.replaced_writes WHERE thread_id = %s", thread)


async def test_an_older_run_takes_nothing_out_of_a_delta_channel(runtime: str) -> None:
    thread, runs = uuid4(), [uuid4() for _ in range(2)]
    await database.execute(THREAD, {"thread": thread})
    for turn, run in enumerate(runs, 1):
        graph = builder.compile(checkpointer=Checkpointer(lease=None))
        await graph.ainvoke(
            {"turn": turn, "said": []}, {"configurable": {"thread_id": str(thread), "run_id": str(run)}}
        )
        await database.execute(RUN, {"run": run, "thread": thread})
    assert await said(thread) == [1, -1, 2, -2]
    assert await deleted(thread, runs[0]) == {"deleted": True, "undone": False}
    assert await said(thread) == [1, -1, 2, -2]
    assert await deleted(thread, runs[1]) == {"deleted": True, "undone": True}
    assert await said(thread) == [1, -1]


async def deleted(thread: UUID, run: UUID) -> Any:
    return await database.fetch_one(DELETE, {"thread": thread, "run": run})


async def said(thread: UUID) -> list[int]:
    graph = builder.compile(checkpointer=Checkpointer(lease=None))
    return (await graph.aget_state({"configurable": {"thread_id": str(thread)}})).values["said"]

"""A slot of a cron takes no question away from the person who is asked, unless it is told to."""

from typing import Any

import pytest

from tests.langgraph_runtime_community.world import World, key

SLOTS = "SELECT slot, run_id FROM server.cron_slots WHERE cron_id = %s ORDER BY slot"
EACH_SECOND = "* * * * * *"


@pytest.fixture
def world(served_database: str) -> World:
    return World(served_database)


async def asked(client: Any, thread: str) -> list[Any]:
    return [each["value"] for each in (await client.threads.get_state(thread))["interrupts"]]


async def cron(client: Any, thread: str, graph: str, body: Any, **metadata: Any) -> str:
    made = await client.crons.create_for_thread(
        thread, graph, schedule=EACH_SECOND, input=body, metadata=metadata
    )
    return made["cron_id"]


async def test_a_tick_leaves_the_question_that_waits(client: Any, world: World) -> None:
    thread, name = (await client.threads.create())["thread_id"], key()
    await client.runs.wait(thread, "plain", input={"key": name, "question": "by a person"})
    made = await cron(client, thread, "plain", {"key": name, "question": "by the cron"})
    slots = await world.until(lambda: world.ask(SLOTS, made)[1:], "two slots are used")
    await client.crons.delete(made)
    assert {slot["run_id"] for slot in slots} == {None}
    assert await asked(client, thread) == ["by a person"]
    assert len(await client.runs.list(thread)) == 1


async def test_a_tick_takes_it_where_the_cron_says_so(client: Any, world: World) -> None:
    thread, name = (await client.threads.create())["thread_id"], key()
    await client.runs.wait(thread, "plain", input={"key": name, "question": "by a person"})
    made = await cron(
        client, thread, "plain", {"key": name, "question": "by the cron"}, stationmaster_discard_question=True
    )
    (slot, *_) = await world.until(lambda: world.ask(SLOTS, made), "a slot is used")
    await client.crons.delete(made)
    await world.ended(slot["run_id"])
    assert await asked(client, thread) == ["by the cron"]
    assert "discard_question" not in str(await client.runs.list(thread))


async def test_a_tick_that_waited_while_the_question_came_is_not_begun(client: Any, world: World) -> None:
    """It was accepted behind the run that asks."""
    thread, name = (await client.threads.create())["thread_id"], key()
    await client.runs.wait(thread, "gates", input={"key": name, "seconds": 3})
    await client.runs.create(thread, "gates", command={"resume": "yes"})
    await world.until(lambda: "working" in world.effects(name), "the answer is worked on")
    made = await cron(client, thread, "gates", {"key": name, "seconds": 0})
    await world.until(
        lambda: [slot for slot in world.ask(SLOTS, made) if slot["run_id"]], "one waits in the queue"
    )
    await world.until(
        lambda: not [slot for slot in world.ask(SLOTS, made) if slot["run_id"]], "it was removed"
    )
    await client.crons.delete(made)
    assert await asked(client, thread) == ["second?"]
    assert {run["status"] for run in await client.runs.list(thread)} == {"success"}
    assert (await client.threads.get(thread))["status"] == "interrupted"

"""Between two attempts at a run: what was given to the first is not given again, and the run keeps its place."""

import asyncio
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.fakes.community_server import CommunityServer
from tests.langgraph_runtime_community.world import World, key

HAND_BACK = "SELECT server.hand_back(run_id, epoch, false, 0) FROM server.runs WHERE run_id = %s"


@pytest.fixture
def world(served_database: str) -> World:
    return World(served_database)


async def test_a_bare_answer_that_was_handed_back_does_not_answer_the_next_question(
    client: LangGraphClient, world: World
) -> None:
    """As a drain hands back: it is no attempt, and the next one is the first by its number."""
    name, thread = key(), (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "late", input={"key": name, "seconds": 1.0, "done": []})
    run = (await client.runs.create(thread, "late", command={"resume": "yes"}))["run_id"]
    await world.until(lambda: "working" in world.effects(name), "work begins")
    await world.until(lambda: world.saved_step(thread) == 1, "the answer is saved")
    world.ask(HAND_BACK, run)
    assert await world.ended(run) == "success"
    row = world.run(run)
    assert (row["attempt"], row["epoch"]) == (1, 2)
    state: Any = await client.threads.get_state(thread)
    assert [each["value"] for each in state["interrupts"]] == ["second?"]
    assert world.effects(name) == ["working", "working"]


async def test_a_run_from_an_earlier_checkpoint_that_was_handed_back_does_not_begin_there_again(
    client: LangGraphClient, world: World
) -> None:
    name, thread = key(), (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "steps", input={"key": name, "slow": 0})
    history = await client.threads.get_history(thread, limit=50)
    start: Any = next(state for state in history if state["next"] == ["step_1"])
    slower: Any = {"slow": 7, "seconds": 1.0}
    fork: Any = await client.threads.update_state(
        thread, slower, checkpoint=start["checkpoint"], as_node="__start__"
    )
    before = len(world.effects(name))
    run = (await client.runs.create(thread, "steps", checkpoint_id=fork["checkpoint_id"]))["run_id"]
    await world.until(lambda: len(world.effects(name)) >= before + 7, "step 7 begins")
    await world.until(lambda: len(world.checkpoints(thread)) >= before + 2 + 1 + 6, "step 6 is saved")
    world.ask(HAND_BACK, run)
    assert await world.ended(run) == "success"
    effects = world.effects(name)[before:]
    assert [effects.count(f"step {number}") for number in range(1, 7)] == [1] * 6


async def test_a_run_that_waits_for_its_next_attempt_is_not_overtaken(
    client: LangGraphClient, world: World
) -> None:
    """The one behind it would go on from its half state, and it would find nothing left to do."""
    first, second = key(), key()
    thread = (await client.threads.create())["thread_id"]
    body = {"key": first, "fails": True, "seconds": 0.3, "done": []}
    one = (await client.runs.create(thread, "passing", input=body))["run_id"]
    await world.until(lambda: "step 2" in world.effects(first), "step 2 begins")
    other: Any = {"key": second, "fails": False, "done": []}
    two = (await client.runs.create(thread, "passing", input=other, multitask_strategy="enqueue"))["run_id"]
    assert await world.ended(one) == await world.ended(two) == "success"
    assert world.effects(first) == ["step 1", "step 2", "step 2", "step 3"]
    assert world.effects(second) == ["step 1", "step 2", "step 3"]
    values: Any = (await client.threads.get_state(thread))["values"]
    assert values["done"] == [1, 2, 3, 1, 2, 3]


async def test_a_claim_that_fails_does_not_stop_the_server(
    client: LangGraphClient, community: CommunityServer, world: World
) -> None:
    """Whatever the database says: the queue comes again."""
    thread = (await client.threads.create())["thread_id"]
    world.change("ALTER FUNCTION server.claim_runs RENAME TO claim_no_runs")
    try:
        runs = [
            (await client.runs.create(thread, "fan", input={"key": key(), "fails": ""}))["run_id"]
            for _ in range(2)
        ]
        await world.until(lambda: "claim_runs" in community.log, "the queue has failed to claim")
    finally:
        world.change("ALTER FUNCTION server.claim_no_runs RENAME TO claim_runs")
    assert await asyncio.gather(*map(world.ended, runs)) == ["success", "success"]


async def test_a_run_is_deleted_and_its_thread_settled_or_neither(
    client: LangGraphClient, world: World
) -> None:
    """In between the thread would be busy for ever. A trigger stands for the crash."""
    thread = (await client.threads.create(metadata={"cut": 1}))["thread_id"]
    run = (await client.runs.create(thread, "steps", input={"key": key(), "slow": 0}, after_seconds=3600))[
        "run_id"
    ]
    world.change("""
        CREATE FUNCTION cut() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'cut'; END $$;
        CREATE TRIGGER cut BEFORE UPDATE ON server.threads
        FOR EACH ROW WHEN (NEW.metadata ? 'cut') EXECUTE FUNCTION cut()
    """)
    try:
        with pytest.raises(Exception, match="500"):
            await client.runs.delete(thread, run)
        assert world.run(run)["status"] == "pending"
    finally:
        world.change("DROP TRIGGER cut ON server.threads")
    await client.runs.delete(thread, run)
    assert world.run(run) == {}
    assert (await client.threads.get(thread))["status"] == "idle"
    with pytest.raises(Exception, match="Run not found"):
        await client.runs.delete(thread, run)


@pytest.mark.parametrize("by_id", [False, True])
async def test_an_answer_that_was_used_up_in_the_same_node_does_not_answer_its_next_question(
    client: LangGraphClient, world: World, by_id: bool
) -> None:
    """The first attempt saves no checkpoint: the node has asked again, and the run's end is what fails."""
    name, thread = key(), (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "twice", input={"key": name, "question": "one", "then": "two"})
    asked: Any = (await client.threads.get_state(thread))["interrupts"][0]["id"]
    world.change("CREATE SEQUENCE ends")
    world.change("""
        CREATE FUNCTION lose_the_end() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
            IF nextval('ends') = 1 THEN RAISE EXCEPTION 'cut' USING ERRCODE = '57P01'; END IF; RETURN NEW;
        END $$;
        CREATE TRIGGER lose_the_end BEFORE UPDATE ON server.runs FOR EACH ROW
        WHEN (NEW.status = 'success' AND NEW.metadata ? 'cut') EXECUTE FUNCTION lose_the_end()
    """)
    command: Any = {"resume": {asked: "yes"} if by_id else "yes"}
    try:
        run = (await client.runs.create(thread, "twice", command=command, metadata={"cut": 1}))["run_id"]
        assert await world.ended(run) == "success"
    finally:
        world.change(
            "DROP TRIGGER lose_the_end ON server.runs; DROP FUNCTION lose_the_end; DROP SEQUENCE ends"
        )
    assert world.run(run)["attempt"] == 2
    state: Any = await client.threads.get_state(thread)
    assert [each["value"] for each in state["interrupts"]] == ["two"]
    await client.runs.wait(thread, "twice", command={"resume": "no"})
    assert world.effects(name) == ["answered"]
    assert (await client.threads.get_state(thread))["values"]["answer"] == ["yes", "no"]  # pyright: ignore[reportArgumentType, reportCallIssue]

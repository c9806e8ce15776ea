"""A change of state from outside is all there or not at all, and what a run did meanwhile is not overwritten."""

import asyncio
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.langgraph_runtime_community.world import World, key

SLOWLY = """
    CREATE FUNCTION slowly() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF strpos(current_query(), 'error = NULL') > 0 THEN
            PERFORM pg_sleep(1);
        END IF;
        RETURN NULL;
    END $$;
    CREATE TRIGGER slowly BEFORE UPDATE ON server.threads FOR EACH STATEMENT EXECUTE FUNCTION slowly()
"""
QUICKLY = "DROP TRIGGER slowly ON server.threads; DROP FUNCTION slowly"


@pytest.fixture
def world(served_database: str) -> World:
    return World(served_database)


async def test_a_run_that_comes_in_between_is_not_overwritten(client: LangGraphClient, world: World) -> None:
    """The thread's row is written last, slowly here; the run, which asks, would be over by then."""
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "passing", input={"key": key(), "done": []})
    world.change(SLOWLY)
    try:
        changing = asyncio.create_task(client.threads.update_state(thread, {"done": [4]}))
        await asyncio.wait([changing], timeout=0.4)
        await client.runs.wait(thread, "late", input={"key": key(), "done": []})
        await changing
    finally:
        world.change(QUICKLY)
    row: Any = await client.threads.get(thread)
    state: Any = await client.threads.get_state(thread)
    assert row["status"] == "interrupted"
    assert [each["value"] for asked in row["interrupts"].values() for each in asked] == ["first?"]
    assert [each["value"] for each in state["interrupts"]] == ["first?"]
    assert row["values"]["done"] == state["values"]["done"] == [1, 2, 3, 4]


async def test_many_changes_are_all_there_or_none(client: LangGraphClient, world: World) -> None:
    """As long as they last no run comes in between; where one of them fails none is left."""

    def changes(*nodes: str) -> Any:
        return [
            {"updates": [{"values": {"done": [at]}, "as_node": node}]} for at, node in enumerate(nodes, 1)
        ]

    made = await client.threads.create(graph_id="passing", supersteps=changes("step_1", "step_2"))
    state: Any = await client.threads.get_state(made["thread_id"])
    assert state["values"]["done"] == [1, 2] and state["next"] == ["step_3"]
    assert (await client.threads.get(made["thread_id"]))["status"] == "interrupted"
    half = key()
    with pytest.raises(Exception, match="nowhere"):
        await client.threads.create(
            thread_id=half, graph_id="passing", supersteps=changes("step_1", "step_2", "nowhere")
        )
    assert world.checkpoints(half) == []
    again: Any = await client.threads.update_state(half, {"done": [7]}, as_node="step_1")
    assert again["checkpoint"]["thread_id"] == half

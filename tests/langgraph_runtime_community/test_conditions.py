"""An answer is taken only while its question waits, and new input only while none does, where a run says so."""

import asyncio
import json
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import ConflictError, UnprocessableEntityError

from stationmaster.reviews.model import digest_of
from tests.langgraph_runtime_community.world import World, key

ONLY_IF, REFUSE_INPUT = "stationmaster_only_if", "stationmaster_refuse_input"


async def asking(
    client: LangGraphClient, graph: str = "plain", **values: Any
) -> tuple[str, str, dict[str, Any]]:
    """A thread that waits, the key of its effects, and the question as the API shows it."""
    thread, name = (await client.threads.create())["thread_id"], key()
    await client.runs.wait(thread, graph, input={"key": name, "question": {"sum": 3}, **values})
    return thread, name, await question(client, thread)


async def question(client: LangGraphClient, thread: str) -> dict[str, Any]:
    state: Any = await client.threads.get_state(thread)
    return state["tasks"][0]["interrupts"][0]


def condition(shown: dict[str, Any], **other: Any) -> dict[str, Any]:
    digest = digest_of(shown["value"], shown.get("response_schema"))
    return {ONLY_IF: {"interrupt_id": shown["id"], "digest": digest, **other}}


async def answer(
    client: LangGraphClient, thread: str, shown: dict[str, Any], graph: str = "plain", **other: Any
) -> Any:
    metadata = {"mine": 1, **condition(shown, **other)}
    command: Any = {"resume": {shown["id"]: "yes"}}
    run = await client.runs.create(thread, graph, command=command, metadata=metadata)
    await client.runs.join(thread, run["run_id"])
    return run


@pytest.mark.parametrize("graph", ["plain", "nested"])
async def test_an_answer_whose_question_waits_is_taken(
    client: LangGraphClient, served_database: str, graph: str
) -> None:
    thread, name, shown = await asking(client, graph)
    run = await answer(client, thread, shown, graph)
    assert run["metadata"]["mine"] == 1
    kept = await client.runs.get(thread, run["run_id"])
    assert ONLY_IF not in str(kept) and ONLY_IF not in str(await client.threads.get(thread))
    assert "answered" in World(served_database).effects(name)


async def test_a_question_that_was_answered_takes_none(client: LangGraphClient, served_database: str) -> None:
    thread, name, shown = await asking(client)
    await answer(client, thread, shown)
    with pytest.raises(ConflictError, match=f"{shown['id']}.*thread {thread} waits for no answer"):
        await answer(client, thread, shown)
    assert World(served_database).effects(name) == ["answered"]
    assert len(await client.runs.list(thread)) == 2


async def test_another_question_in_its_place_is_named(client: LangGraphClient, served_database: str) -> None:
    thread, name, shown = await asking(client)
    await client.runs.wait(thread, "plain", input={"key": name, "question": "another"})
    now = await question(client, thread)
    with pytest.raises(ConflictError, match=f"waits for an answer to interrupt {now['id']} of node ask"):
        await answer(client, thread, shown)
    with pytest.raises(ConflictError, match=now["id"]):
        await answer(client, thread, now, digest="0" * 64)
    assert World(served_database).effects(name) == []
    await answer(client, thread, now)


async def test_a_state_that_was_changed_takes_no_answer(client: LangGraphClient) -> None:
    thread, _, shown = await asking(client)
    await client.threads.update_state(thread, {"question": "other"})
    with pytest.raises(ConflictError, match="waits for no answer"):
        await answer(client, thread, shown)


async def test_a_run_in_flight_takes_precedence(client: LangGraphClient) -> None:
    """Also with a strategy that would queue."""
    thread, _, shown = await asking(client)
    later: Any = {"resume": {shown["id"]: "later"}}
    await client.runs.create(thread, "plain", command=later, after_seconds=60)
    with pytest.raises(ConflictError, match="in flight"):
        await client.runs.create(
            thread, "plain", command={"resume": "x"}, metadata=condition(shown), multitask_strategy="enqueue"
        )


async def test_two_answers_at_once_are_one(client: LangGraphClient, served_database: str) -> None:
    thread, name, shown = await asking(client)
    tries = [answer(client, thread, shown) for _ in range(6)]
    done = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(not isinstance(one, Exception) for one in done) == 1
    assert all(isinstance(one, dict | ConflictError) for one in done)
    assert World(served_database).effects(name) == ["answered"]


@pytest.mark.parametrize("wrong", ["x", {"interrupt_id": "x"}, {"interrupt_id": "x", "digest": 1}])
async def test_a_malformed_condition_is_refused(client: LangGraphClient, wrong: Any) -> None:
    thread = (await client.threads.create())["thread_id"]
    with pytest.raises(UnprocessableEntityError, match=ONLY_IF):
        await client.runs.create(thread, "plain", input={}, metadata={ONLY_IF: wrong})


async def test_those_who_may_not_see_the_thread_are_told_nothing(client: LangGraphClient) -> None:
    thread, _, shown = await asking(client)
    with pytest.raises(Exception, match="not found"):
        await client.runs.create(
            thread,
            "plain",
            command={"resume": "x"},
            metadata=condition(shown, digest="0"),
            headers={"x-user": "eve"},
        )


async def test_new_input_is_refused_while_an_answer_is_awaited(client: LangGraphClient) -> None:
    thread, name, shown = await asking(client)
    new: Any = {"input": {"key": name, "question": "new"}, "metadata": {REFUSE_INPUT: True}}
    with pytest.raises(ConflictError, match=f"New input is refused: .*interrupt {shown['id']}"):
        await client.runs.create(thread, "plain", **new)
    assert await question(client, thread) == shown
    command: Any = {"resume": {shown["id"]: "yes"}}
    await client.runs.wait(thread, "plain", command=command, metadata={REFUSE_INPUT: True})
    await client.runs.wait(thread, "plain", **new)
    assert (await question(client, thread))["value"] == "new"
    assert REFUSE_INPUT not in str(await client.runs.list(thread))


async def test_input_is_refused_also_where_the_row_was_left_behind(
    client: LangGraphClient, served_database: str
) -> None:
    """An answer whose run is rolled back leaves its question as it was: in the state, and in the thread's row."""
    world, name = World(served_database), key()
    thread = (await client.threads.create())["thread_id"]
    await client.runs.wait(thread, "gates", input={"key": name, "seconds": 60})
    before = await client.threads.get(thread)
    run = await client.runs.create(thread, "gates", command={"resume": "yes"})
    await world.until(lambda: "working" in world.effects(name), "the answer is worked on")
    await client.runs.cancel(thread, run["run_id"], wait=True, action="rollback")
    after = await client.threads.get(thread)
    assert {name: after[name] for name in ("status", "interrupts", "values")} == {
        name: before[name] for name in ("status", "interrupts", "values")
    }
    for status in ("idle", "error"):
        world.change("UPDATE server.threads SET settled = %s, status = %s, interrupts = '{}' WHERE thread_id = %s",
            status, status, thread)  # fmt: skip
        with pytest.raises(ConflictError, match=r"New input is refused: .*interrupt .* of node ask_first"):
            await client.runs.create(
                thread, "gates", input={"key": name, "seconds": 0}, metadata={REFUSE_INPUT: True}
            )


async def test_a_row_that_was_left_behind_refuses_nothing(
    client: LangGraphClient, served_database: str
) -> None:
    thread, name, shown = await asking(client)
    row = World(served_database).ask("SELECT interrupts FROM server.threads WHERE thread_id = %s", thread)[0]
    await client.runs.wait(thread, "plain", command={"resume": {shown["id"]: "yes"}})
    World(served_database).change(
        "UPDATE server.threads SET settled = 'interrupted', status = 'interrupted', interrupts = %s::jsonb "
        "WHERE thread_id = %s", json.dumps(row["interrupts"]), thread,
    )  # fmt: skip
    new = {"key": name, "question": "new"}
    await client.runs.wait(thread, "plain", input=new, metadata={REFUSE_INPUT: True})
    assert (await question(client, thread))["value"] == "new"

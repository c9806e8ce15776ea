"""Runs: waited, streamed, in the background, stateless, several at once, cancelled, deleted."""

import asyncio
import time
from typing import Any
from uuid import uuid4

import pytest
from langgraph_sdk.errors import ConflictError, LangGraphError, NotFoundError

from tests.fakes.graphs import ledger

ENDED = {"success", "error", "interrupted", "timeout"}


def key() -> str:
    return str(uuid4())


async def new_thread(api: Any) -> str:
    return (await api.threads.create())["thread_id"]


async def status(api: Any, thread: str, run: str) -> str:
    return (await api.runs.get(thread, run))["status"]


async def until(api: Any, thread: str, run: str, wanted: set[str]) -> str:
    deadline = time.monotonic() + 30
    while (found := await status(api, thread, run)) not in wanted:
        assert time.monotonic() < deadline, f"still {found}"
        await asyncio.sleep(0.05)
    return found


async def at_work(uri: str, name: str) -> None:
    """Wait until the graph `slow` is in its long step."""
    deadline = time.monotonic() + 30
    while not ledger.read(uri, name):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


def question() -> dict[str, Any]:
    return {"key": key(), "question": "really?"}


async def test_wait_and_resume_by_id(api: Any) -> None:
    thread = await new_thread(api)
    values: Any = await api.runs.wait(thread, "plain", input=question())
    (asked,) = values["__interrupt__"]
    values = await api.runs.wait(thread, "plain", command={"resume": {asked["id"]: "yes"}})
    assert values["answer"] == "yes"
    assert (await api.threads.get(thread))["status"] == "idle"
    assert [row["status"] for row in await api.runs.list(thread)] == ["success", "success"]


async def test_background_join_get_and_list(api: Any) -> None:
    thread = await new_thread(api)
    run = await api.runs.create(thread, "steps", input={"key": key(), "slow": 0}, metadata={"why": "test"})
    assert run["status"] == "pending" and run["thread_id"] == thread and run["metadata"]["why"] == "test"
    values: Any = await api.runs.join(thread, run["run_id"])
    assert values["done"] == list(range(1, 11))
    row = await api.runs.get(thread, run["run_id"])
    assert row["status"] == "success" and row["multitask_strategy"] == "enqueue"
    assert [each["run_id"] for each in await api.runs.list(thread)] == [run["run_id"]]
    assert await api.runs.list(thread, status="error") == []
    assert set((await api.runs.list(thread, select=["run_id", "status"]))[0]) == {"run_id", "status"}


async def test_joining_a_run_that_is_over_ends_at_once(api: Any) -> None:
    thread = await new_thread(api)
    await api.runs.wait(thread, "steps", input={"key": key(), "slow": 0})
    run = (await api.runs.list(thread))[0]["run_id"]
    before = time.monotonic()
    values: Any = await api.runs.join(thread, run)
    assert values["done"] == list(range(1, 11))
    parts = [part async for part in api.runs.join_stream(thread, run)]
    assert not any(part.event == "error" for part in parts)
    assert time.monotonic() - before < 5


async def test_a_run_that_is_not_there(api: Any) -> None:
    thread = await new_thread(api)
    with pytest.raises(NotFoundError):
        await api.runs.get(thread, str(uuid4()))
    with pytest.raises(NotFoundError):
        await api.runs.cancel(thread, str(uuid4()))
    with pytest.raises(NotFoundError):
        await api.runs.create(str(uuid4()), "plain", input=question())
    with pytest.raises(LangGraphError):
        await api.runs.create(thread, str(uuid4()), input=question())


async def test_a_thread_is_made_if_asked(api: Any) -> None:
    thread = str(uuid4())
    await api.runs.wait(thread, "plain", input=question(), if_not_exists="create", metadata={"from": "run"})
    row = await api.threads.get(thread)
    assert row["status"] == "interrupted" and row["metadata"]["graph_id"] == "plain"
    assert row["metadata"]["from"] == "run"


async def test_streams_updates_values_and_messages(api: Any) -> None:
    thread = await new_thread(api)
    parts = [
        part
        async for part in api.runs.stream(
            thread,
            "talk",
            input={"messages": ["hi"]},
            stream_mode=["values", "updates", "messages-tuple", "custom"],
        )
    ]
    kinds = [part.event for part in parts]
    assert kinds[0] == "metadata" and {"values", "updates", "messages"} <= set(kinds)
    tokens = [part.data[0]["content"] for part in parts if part.event == "messages"]
    assert "".join(tokens) == "one two three four"


async def test_a_failing_run_says_so_everywhere(api: Any) -> None:
    thread = await new_thread(api)
    body = {"key": key(), "fails": "b"}
    parts = [part async for part in api.runs.stream(thread, "fan", input=body)]
    assert parts[-1].event == "error" and parts[-1].data == {"error": "ValueError", "message": "b fails"}
    assert [row["status"] for row in await api.runs.list(thread)] == ["error"]
    assert (await api.threads.get(thread))["status"] == "error"
    state = await api.threads.get_state(thread)
    assert [task["error"] for task in state["tasks"] if task["error"]]
    with pytest.raises(Exception, match="b fails"):
        await api.runs.wait(thread, "fan", input=None)


async def test_stateless_runs_leave_nothing(api: Any) -> None:
    values: Any = await api.runs.wait(
        None, "steps", input={"key": key(), "slow": 0}, metadata={"mark": key()}
    )
    assert values["done"] == list(range(1, 11))
    run = await api.runs.create(None, "steps", input={"key": key(), "slow": 0})
    deadline = time.monotonic() + 20
    while await api.threads.search(ids=[run["thread_id"]]):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
    parts = [part.event async for part in api.runs.stream(None, "steps", input={"key": key(), "slow": 0})]
    assert parts[0] == "metadata" and parts[-1] == "values"


async def test_a_stateless_run_that_keeps_its_thread(api: Any) -> None:
    run = await api.runs.create(None, "plain", input=question(), on_completion="keep")
    await until(api, run["thread_id"], run["run_id"], ENDED)
    assert (await api.threads.get(run["thread_id"]))["status"] == "interrupted"


async def test_a_batch(api: Any) -> None:
    body = {"assistant_id": "steps", "input": {"key": key(), "slow": 0}, "on_completion": "keep"}
    runs: Any = await api.runs.create_batch([body] * 30)
    assert len({run["run_id"] for run in runs}) == 30
    for run in runs:
        assert await until(api, run["thread_id"], run["run_id"], ENDED) == "success"


async def test_runs_of_a_thread_go_one_after_the_other(api: Any) -> None:
    thread = await new_thread(api)
    runs = [
        await api.runs.create(thread, "steps", input={"key": key(), "slow": 0}, multitask_strategy="enqueue")
        for _ in range(4)
    ]
    for run in runs:
        await api.runs.join(thread, run["run_id"])
    values: Any = (await api.threads.get_state(thread))["values"]
    assert values["done"] == list(range(1, 11)) * 4


async def test_reject_while_another_run_is_in_flight(api: Any, served_database: str) -> None:
    thread, name = await new_thread(api), key()
    run = await api.runs.create(thread, "slow", input={"key": name, "seconds": 30})
    await at_work(served_database, name)
    with pytest.raises(ConflictError):
        await api.runs.create(thread, "plain", input=question(), multitask_strategy="reject")
    await api.runs.cancel(thread, run["run_id"], wait=True)
    again = await api.runs.create(thread, "plain", input=question(), multitask_strategy="reject")
    assert await until(api, thread, again["run_id"], ENDED) == "success"


async def test_interrupt_strategy_stops_the_first(api: Any, served_database: str) -> None:
    thread, name = await new_thread(api), key()
    first = await api.runs.create(thread, "slow", input={"key": name, "seconds": 30})
    await at_work(served_database, name)
    second = await api.runs.create(thread, "plain", input=question(), multitask_strategy="interrupt")
    assert await until(api, thread, second["run_id"], ENDED) == "success"
    assert await status(api, thread, first["run_id"]) == "interrupted"


async def test_rollback_strategy_removes_the_first(api: Any, served_database: str) -> None:
    thread, name = await new_thread(api), key()
    before: Any = await api.runs.wait(thread, "plain", input=question())
    first = await api.runs.create(thread, "slow", input={"key": name, "seconds": 30})
    await at_work(served_database, name)
    steps = await api.threads.get_history(thread, limit=50)
    await api.runs.cancel(thread, first["run_id"], action="rollback", wait=True)
    with pytest.raises(NotFoundError):
        await api.runs.get(thread, first["run_id"])
    history = await api.threads.get_history(thread, limit=50)
    assert len(history) < len(steps)
    state = await api.threads.get_state(thread)
    assert [each["id"] for each in state["interrupts"]] == [each["id"] for each in before["__interrupt__"]]


async def test_cancel_a_run_at_work(api: Any, served_database: str) -> None:
    thread, name = await new_thread(api), key()
    run = await api.runs.create(thread, "slow", input={"key": name, "seconds": 30})
    await at_work(served_database, name)
    await api.runs.cancel(thread, run["run_id"], wait=True)
    assert await until(api, thread, run["run_id"], ENDED) == "interrupted"
    assert (await api.threads.get_state(thread))["next"] == ["work"]
    with pytest.raises(NotFoundError):
        await api.runs.cancel(thread, run["run_id"])


async def test_cancel_a_run_that_waits(api: Any, served_database: str) -> None:
    thread, name = await new_thread(api), key()
    first = await api.runs.create(thread, "slow", input={"key": name, "seconds": 30})
    await at_work(served_database, name)
    second = await api.runs.create(thread, "plain", input=question())
    await api.runs.cancel(thread, second["run_id"])
    assert await status(api, thread, second["run_id"]) == "interrupted"
    await api.runs.cancel(thread, first["run_id"], wait=True)


async def test_cancel_many(api: Any, served_database: str) -> None:
    names = [key(), key()]
    thread = await new_thread(api)
    first = await api.runs.create(thread, "slow", input={"key": names[0], "seconds": 30})
    second = await api.runs.create(thread, "slow", input={"key": names[1], "seconds": 30})
    await at_work(served_database, names[0])
    await api.runs.cancel_many(thread_id=thread, run_ids=[first["run_id"], second["run_id"]])
    for run in (first, second):
        assert await until(api, thread, run["run_id"], ENDED) == "interrupted"


async def test_after_seconds(api: Any) -> None:
    thread = await new_thread(api)
    before = time.monotonic()
    run = await api.runs.create(thread, "plain", input=question(), after_seconds=2)
    assert run["status"] == "pending"
    await api.runs.join(thread, run["run_id"])
    assert time.monotonic() - before >= 1.9


async def test_delete_a_run(api: Any) -> None:
    thread = await new_thread(api)
    await api.runs.wait(thread, "plain", input=question())
    run = (await api.runs.list(thread))[0]["run_id"]
    await api.runs.delete(thread, run)
    assert await api.runs.list(thread) == []
    with pytest.raises(NotFoundError):
        await api.runs.delete(thread, run)


@pytest.mark.parametrize("durability", ["sync", "async", "exit"])
async def test_durability_modes(api: Any, durability: Any) -> None:
    thread = await new_thread(api)
    values: Any = await api.runs.wait(thread, "steps", input={"key": key(), "slow": 0}, durability=durability)
    assert values["done"] == list(range(1, 11))
    history = await api.threads.get_history(thread, limit=50)
    assert len(history) == (1 if durability == "exit" else 12)


async def test_breakpoints_by_run_parameters(api: Any) -> None:
    thread = await new_thread(api)
    await api.runs.wait(thread, "steps", input={"key": key(), "slow": 0}, interrupt_before=["step_3"])
    state = await api.threads.get_state(thread)
    assert state["next"] == ["step_3"] and state["interrupts"] == []
    assert (await api.threads.get(thread))["status"] == "interrupted"
    values: Any = await api.runs.wait(thread, "steps", input=None)
    assert values["done"] == list(range(1, 11))


async def test_a_run_from_an_earlier_checkpoint(api: Any) -> None:
    thread = await new_thread(api)
    await api.runs.wait(thread, "steps", input={"key": key(), "slow": 0})
    history = await api.threads.get_history(thread, limit=50)
    fourth = next(item for item in history if item["next"] == ["step_5"])
    values: Any = await api.runs.wait(thread, "steps", input=None, checkpoint=fourth["checkpoint"])
    assert values["done"] == list(range(1, 11))
    assert len(await api.threads.get_history(thread, limit=50)) == len(history) + 7  # the fork itself is one


async def test_parallel_questions_answered_in_any_order(api: Any, served_database: str) -> None:
    thread, name = await new_thread(api), key()
    values: Any = await api.runs.wait(thread, "parallel", input={"key": name, "questions": [1, 2, 3]})
    asked = {each["value"]: each["id"] for each in values["__interrupt__"]}
    assert set(asked) == {1, 2, 3}
    for number in (2, 3, 1):
        await api.runs.wait(thread, "parallel", command={"resume": {asked[number]: f"a{number}"}})
    effects = [detail for _, detail in ledger.read(served_database, name)]
    assert [each["question"] for each in effects] == [2, 3, 1]
    assert (await api.threads.get(thread))["status"] == "idle"


async def test_a_question_in_a_subgraph(api: Any) -> None:
    thread = await new_thread(api)
    await api.runs.wait(thread, "nested", input=question())
    state = await api.threads.get_state(thread, subgraphs=True)
    (asked,) = state["interrupts"]
    values: Any = await api.runs.wait(thread, "nested", command={"resume": {asked["id"]: "deep"}})
    assert values["answer"] == "deep"


async def test_the_store_is_the_graphs_store(api: Any) -> None:
    await api.runs.wait(await new_thread(api), "talk", input={"messages": ["hi"]})
    item = await api.store.get_item(["talks"], "last")
    assert item and item["value"] == {"said": "one two three four"}

"""Threads: rows, state, history, copies."""

from typing import Any
from uuid import uuid4

import pytest
from langgraph_sdk.errors import ConflictError, LangGraphError, NotFoundError


def mark() -> dict[str, str]:
    return {"mark": str(uuid4())}


async def asked(api: Any, question: Any = "really?", metadata: dict[str, Any] | None = None) -> str:
    """A thread that waits for an answer."""
    thread = await api.threads.create(metadata=metadata)
    await api.runs.wait(thread["thread_id"], "plain", input={"key": str(uuid4()), "question": question})
    return thread["thread_id"]


async def test_create_get_patch_delete(api: Any) -> None:
    made = await api.threads.create(metadata={"a": 1})
    known = made["thread_id"]
    assert made["status"] == "idle" and made["metadata"] == {"a": 1} and made["values"] is None
    assert (await api.threads.get(known))["thread_id"] == known
    patched = await api.threads.update(known, metadata={"b": 2})
    assert patched["metadata"] == {"a": 1, "b": 2}
    await api.threads.delete(known)
    with pytest.raises(NotFoundError):
        await api.threads.get(known)
    with pytest.raises(NotFoundError):
        await api.threads.delete(known)
    with pytest.raises(NotFoundError):
        await api.threads.update(known, metadata={})


async def test_the_same_id_twice_is_a_conflict_or_the_first(api: Any) -> None:
    known = str(uuid4())
    made = await api.threads.create(thread_id=known, metadata={"a": 1})
    with pytest.raises(ConflictError):
        await api.threads.create(thread_id=known)
    again = await api.threads.create(thread_id=known, if_exists="do_nothing")
    assert again["metadata"] == made["metadata"]


async def test_search_and_count_by_everything(api: Any) -> None:
    label = mark()
    waiting = await asked(api, {"deep": ["question"]}, label)
    idle = (await api.threads.create(metadata={**label, "kind": "idle"}))["thread_id"]
    assert {row["thread_id"] for row in await api.threads.search(metadata=label)} == {waiting, idle}
    assert [row["thread_id"] for row in await api.threads.search(metadata=label, status="interrupted")] == [
        waiting
    ]
    assert [row["thread_id"] for row in await api.threads.search(metadata={**label, "kind": "idle"})] == [
        idle
    ]
    by_values = await api.threads.search(metadata=label, values={"question": {"deep": ["question"]}})
    assert [row["thread_id"] for row in by_values] == [waiting]
    assert await api.threads.count(metadata=label) == 2
    assert await api.threads.count(metadata=label, status="interrupted") == 1
    by_id = await api.threads.search(ids=[idle, str(uuid4())])
    assert [row["thread_id"] for row in by_id] == [idle]
    chosen = await api.threads.search(metadata=label, select=["thread_id", "status"], limit=1)
    assert set(chosen[0]) == {"thread_id", "status"}
    extracted = await api.threads.search(ids=[waiting], extract={"asked": "values.question.deep[0]"})
    assert extracted[0].get("extracted") == {"asked": "question"}


async def test_pages_of_a_search(api: Any) -> None:
    label = mark()
    made = [(await api.threads.create(metadata=label))["thread_id"] for _ in range(5)]
    found = []
    for offset in (0, 2, 4):
        found += await api.threads.search(
            metadata=label, limit=2, offset=offset, sort_by="created_at", sort_order="asc"
        )
    assert [row["thread_id"] for row in found] == made


async def test_a_waiting_thread_shows_its_question(api: Any) -> None:
    known = await asked(api, {"amount": 12.5})
    row = await api.threads.get(known)
    assert row["status"] == "interrupted"
    ((question,),) = row["interrupts"].values()
    assert question["value"] == {"amount": 12.5}
    state = await api.threads.get_state(known, subgraphs=True)
    assert state["next"] == ["ask"]
    assert [each["value"] for each in state["interrupts"]] == [{"amount": 12.5}]
    assert state["interrupts"][0]["id"] == question["id"]


async def test_history_newest_first_with_limit_before_and_metadata(api: Any) -> None:
    known = await asked(api)
    history = await api.threads.get_history(known, limit=10)
    assert [item["metadata"]["source"] for item in history if item["metadata"]] == ["loop", "loop", "input"]
    assert [item["checkpoint"]["checkpoint_id"] for item in history] == sorted(
        (str(item["checkpoint"]["checkpoint_id"]) for item in history), reverse=True
    )
    assert len(await api.threads.get_history(known, limit=1)) == 1
    earlier = await api.threads.get_history(known, limit=10, before=history[0]["checkpoint"])
    assert earlier == history[1:]
    only = await api.threads.get_history(known, limit=10, metadata={"source": "input"})
    assert len(only) == 1
    assert history[0]["tasks"][0]["interrupts"]


async def test_state_at_a_checkpoint(api: Any) -> None:
    known = await asked(api)
    history = await api.threads.get_history(known, limit=10)
    first = history[-1]["checkpoint"]
    state = await api.threads.get_state(known, checkpoint=first)
    assert state["checkpoint"]["checkpoint_id"] == first["checkpoint_id"]
    by_id = await api.threads.get_state(known, checkpoint_id=str(first["checkpoint_id"]))
    assert by_id["checkpoint"]["checkpoint_id"] == first["checkpoint_id"]


async def test_update_state_as_a_node_and_fork(api: Any) -> None:
    known = await asked(api)
    made = await api.threads.update_state(known, {"question": "changed"}, as_node="prepare")
    state = await api.threads.get_state(known)
    assert state["values"]["question"] == "changed" and state["next"] == ["ask"]
    assert state["checkpoint"]["checkpoint_id"] == made["checkpoint"]["checkpoint_id"]
    row = await api.threads.get(known)
    assert row["status"] == "interrupted" and row["values"]["question"] == "changed"
    first = (await api.threads.get_history(known, limit=10))[-2]["checkpoint"]
    await api.threads.update_state(known, {"question": "forked"}, as_node="prepare", checkpoint=first)
    assert (await api.threads.get_state(known))["values"]["question"] == "forked"


async def test_a_thread_without_a_graph_has_an_empty_state(api: Any) -> None:
    thread = await api.threads.create()
    state = await api.threads.get_state(thread["thread_id"])
    assert state["values"] == {} and state["next"] == []
    assert await api.threads.get_history(thread["thread_id"]) == []
    with pytest.raises(LangGraphError):
        await api.threads.update_state(thread["thread_id"], {"key": "x"})


async def test_create_with_supersteps(api: Any) -> None:
    thread = await api.threads.create(
        graph_id="plain",
        supersteps=[
            {"updates": [{"values": {"key": "k", "question": "from outside"}, "as_node": "prepare"}]}
        ],
    )
    state = await api.threads.get_state(thread["thread_id"])
    assert state["values"]["question"] == "from outside" and state["next"] == ["ask"]


async def test_a_copy_has_state_and_history_and_goes_its_own_way(api: Any) -> None:
    known = await asked(api)
    copied: Any = await api.threads.copy(known)
    if copied is None:  # the client drops the answer
        rows = await api.threads.search(sort_by="created_at", limit=1)
        copied = rows[0]
    other = copied["thread_id"]
    assert other != known
    state, original = await api.threads.get_state(other), await api.threads.get_state(known)
    assert state["values"] == original["values"] and state["interrupts"] == original["interrupts"]
    answer = {"resume": {state["interrupts"][0]["id"]: "yes"}}
    await api.runs.wait(other, "plain", command=answer)
    assert (await api.threads.get_state(other))["next"] == []
    assert (await api.threads.get_state(known))["next"] == ["ask"]


async def test_no_update_while_a_run_is_in_flight(api: Any) -> None:
    thread = (await api.threads.create())["thread_id"]
    run = await api.runs.create(thread, "slow", input={"key": str(uuid4()), "seconds": 30})
    with pytest.raises(LangGraphError):
        await api.threads.update_state(thread, {"seconds": 1})
    await api.runs.cancel(thread, run["run_id"], wait=True)


async def test_prune_deletes(api: Any) -> None:
    gone = [await asked(api), await asked(api)]
    assert (await api.threads.prune(gone))["pruned_count"] == 2
    assert await api.threads.search(ids=gone) == []

"""Pruning threads with delta channels, which the library refuses: the state stays what it was, and goes on."""

from typing import Annotated, Any
from uuid import uuid4

import pytest
from langgraph.channels.delta import DeltaChannel
from langgraph.checkpoint.postgres import aio as library
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

from langgraph_runtime_community import database
from langgraph_runtime_community.checkpoint import saver
from langgraph_runtime_community.checkpoint.saver import Checkpointer
from langgraph_runtime_community.ops.pruning import only_latest


def extended(state: list[int], writes: Any) -> list[int]:
    """Associative over batches, as a delta channel wants it."""
    return (state or []) + [item for write in writes for item in write]


class State(TypedDict):
    said: Annotated[list[int], DeltaChannel(extended, snapshot_frequency=5)]
    turn: int


async def say(state: State) -> dict[str, Any]:
    return {"said": [state["turn"], -state["turn"]]}


async def rest(state: State) -> dict[str, Any]:
    return {"turn": state["turn"]}


builder = StateGraph(State)
builder.add_node("say", say)
builder.add_node("rest", rest)
builder.add_edge(START, "say")
builder.add_edge("say", "rest")


async def count(thread: str) -> int:
    found = await database.fetch(
        "SELECT count(*) AS n FROM checkpoints WHERE thread_id = %(t)s", {"t": thread}
    )
    return found[0]["n"]


@pytest.mark.parametrize("turns", [1, 3, 7, 12])
async def test_a_pruned_thread_has_its_state_and_goes_on(runtime: str, turns: int) -> None:
    thread = str(uuid4())
    config: Any = {"configurable": {"thread_id": thread}}
    graph = builder.compile(checkpointer=Checkpointer(lease=None))
    for turn in range(1, turns + 1):
        await graph.ainvoke({"turn": turn, "said": []}, config)
    before = (await graph.aget_state(config)).values
    assert before["said"] == [each for turn in range(1, turns + 1) for each in (turn, -turn)]
    kept = await count(thread)
    await only_latest(thread)  # pyright: ignore[reportArgumentType]
    assert await count(thread) <= kept
    again = builder.compile(checkpointer=Checkpointer(lease=None))
    assert (await again.aget_state(config)).values == before
    after = await again.ainvoke({"turn": 99, "said": []}, config)
    assert after["said"] == [*before["said"], 99, -99]
    assert turns < 7 or await count(thread) < kept


@pytest.mark.parametrize("page", [1, 4, 128])
async def test_history_is_the_same_however_little_is_read_at_once(
    runtime: str, monkeypatch: pytest.MonkeyPatch, page: int
) -> None:
    assert library._DELTA_PAGE_SIZE, "the library's own name for it"  # pyright: ignore[reportPrivateUsage, reportPrivateImportUsage]
    monkeypatch.setattr(saver, "DELTA_PAGE", page)
    config: Any = {"configurable": {"thread_id": str(uuid4())}}
    graph = builder.compile(checkpointer=Checkpointer(lease=None))
    for turn in range(1, 8):
        await graph.ainvoke({"turn": turn, "said": []}, config)
    told = [state.values.get("said") async for state in graph.aget_state_history(config, limit=100)]
    whole = [each for turn in range(1, 8) for each in (turn, -turn)]
    assert told[0] == whole and len(told) == 4 * 7
    assert [len(said or []) for said in told] == sorted((len(said or []) for said in told), reverse=True)
    assert all(said == whole[: len(said)] for said in told if said)

"""Graphs for what is measured of the durable runtime: one that waits, as for a model, and one with a long memory."""

import asyncio
from typing import Annotated, Any

from langgraph.channels.delta import DeltaChannel
from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict

SNAPSHOT_EVERY = 50
"""Updates between two snapshots of the diary: a turn has two, what is asked and what is answered."""


class Waiting(TypedDict):
    """For how long, in seconds."""

    seconds: float


async def wait(state: Waiting) -> dict[str, Any]:
    await asyncio.sleep(state["seconds"])
    return {"seconds": state["seconds"]}


def joined(said: list[str], writes: Any) -> list[str]:
    """Associative over batches, as a delta channel wants it."""
    return (said or []) + [text for write in writes for text in write]


class Diary(TypedDict):
    """A text a turn, and one in answer."""

    said: Annotated[list[str], DeltaChannel(joined, snapshot_frequency=SNAPSHOT_EVERY)]


async def answer(state: Diary) -> dict[str, Any]:
    return {"said": [f"{len(state['said'])}: {state['said'][-1]}"]}


def _one_node(schema: Any, work: Any, name: str) -> Any:
    builder = StateGraph(schema)
    builder.add_node(name, work)
    builder.add_edge(START, name)
    return builder.compile(name=name)


waiting = _one_node(Waiting, wait, "wait")
diary = _one_node(Diary, answer, "answer")

"""A state of a given size. Input: {"key": str, "megabytes": number}."""

import random
from typing import Any, NotRequired

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger


class State(TypedDict):
    key: str
    megabytes: float
    load: NotRequired[list[str]]
    closed: NotRequired[bool]


async def grow(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], "grown")
    # As random as it is, it can't be compressed.
    return {"load": [random.Random(0).randbytes(int(state["megabytes"] * 500_000)).hex()]}


async def close(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], "closed")
    return {"load": [], "closed": True}


builder = StateGraph(State)
builder.add_node("grow", grow)
builder.add_node("close", close)
for before, after in ((START, "grow"), ("grow", "close"), ("close", END)):
    builder.add_edge(before, after)
graph = builder.compile(name="bulky")

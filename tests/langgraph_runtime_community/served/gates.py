"""Two questions with a long step between them. Input: {"key": str, "seconds": number}."""

import asyncio
from typing import Any, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger


class State(TypedDict):
    key: str
    seconds: float
    first: NotRequired[Any]
    second: NotRequired[Any]


async def ask_first(state: State) -> dict[str, Any]:
    return {"first": interrupt("first?")}


async def work(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], "working")
    await asyncio.sleep(state["seconds"])
    return {}


async def ask_second(state: State) -> dict[str, Any]:
    return {"second": interrupt("second?")}


builder = StateGraph(State)
nodes = {"ask_first": ask_first, "work": work, "ask_second": ask_second}
for name, node in nodes.items():
    builder.add_node(name, node)
for before, after in zip([START, *nodes], [*nodes, END], strict=True):
    builder.add_edge(before, after)
graph = builder.compile(name="gates")

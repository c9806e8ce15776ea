"""A graph that is at work before it asks: to be cancelled meanwhile. Input: {"key": str, "seconds": number}."""

import asyncio
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger


class State(TypedDict):
    key: str
    seconds: float


async def begin(state: State) -> dict[str, Any]:
    return {"seconds": state["seconds"]}


async def work(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], "working")
    await asyncio.sleep(state["seconds"])
    return {}


async def ask(state: State) -> dict[str, Any]:
    interrupt("Done. Go on?")
    return {}


builder = StateGraph(State)
builder.add_node("begin", begin)
builder.add_node("work", work)
builder.add_node("ask", ask)
builder.add_edge(START, "begin")
builder.add_edge("begin", "work")
builder.add_edge("work", "ask")
builder.add_edge("ask", END)
graph = builder.compile(name="slow")

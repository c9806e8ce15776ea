"""Two nodes that ask side by side: one asks again once it is answered, the other is in no hurry to take its answer."""

import asyncio
from typing import Any, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict):
    seconds: float
    quick: NotRequired[list[Any]]
    slow: NotRequired[Any]


async def quick(state: State) -> dict[str, Any]:
    return {"quick": [interrupt("quick?"), interrupt("quick again?")]}


async def slow(state: State) -> dict[str, Any]:
    await asyncio.sleep(state["seconds"])
    return {"slow": interrupt("slow?")}


builder = StateGraph(State)
for name, node in {"quick": quick, "slow": slow}.items():
    builder.add_node(name, node)
    builder.add_edge(START, name)
    builder.add_edge(name, END)
graph = builder.compile(name="pair")

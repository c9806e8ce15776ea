"""Graphs of the served tests: one asks, one takes its time.

Input of `asks`: {"n": int}. Of `slowly`: {"n": int, "takes_s": float}; its first node ends at once.
"""

import asyncio
from typing import Any, NotRequired

from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict):
    n: int
    takes_s: NotRequired[float]


async def ask(state: State) -> dict[str, Any]:
    return {"n": state["n"] + interrupt("how many more?")}


async def begin(state: State) -> dict[str, Any]:
    return {"n": state["n"] + 1}


async def work(state: State) -> dict[str, Any]:
    await asyncio.sleep(state.get("takes_s", 0))
    return {"n": state["n"] + 1}


asks: Any = StateGraph(State).add_node(ask).add_edge(START, "ask").compile(name="asks")
slowly: Any = StateGraph(State).add_sequence([begin, work]).add_edge(START, "begin").compile(name="slowly")

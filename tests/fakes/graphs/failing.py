"""A graph that takes its answer and then fails, as often as it is told: in the node that asked, or in the one after it.

Input: {"key": str, "question": any JSON, "fails": how often, "where": "ask" or "act"}. Each failure is noted as an
effect `failed`; what succeeds is the effect `answered`.
"""

import os
from typing import Any, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger


class State(TypedDict):
    key: str
    question: Any
    fails: int
    where: str
    answer: NotRequired[Any]


async def _fail(state: State, here: str) -> None:
    if state["where"] == here:
        before = await ledger.count(os.environ[ledger.VARIABLE], state["key"], "failed")
        if before < state["fails"]:
            await ledger.write(state["key"], "failed")
            raise RuntimeError("the printer is on fire")


async def ask(state: State) -> dict[str, Any]:
    answer = interrupt(state["question"])
    await _fail(state, "ask")
    return {"answer": answer}


async def act(state: State) -> dict[str, Any]:
    await _fail(state, "act")
    await ledger.write(state["key"], "answered", state.get("answer"))
    return {}


builder = StateGraph(State)
builder.add_node("ask", ask)
builder.add_node("act", act)
builder.add_edge(START, "ask")
builder.add_edge("ask", "act")
builder.add_edge("act", END)
graph = builder.compile(name="failing")

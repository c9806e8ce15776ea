"""The deprecated NodeInterrupt: the node raises until state says otherwise; a resume value does not satisfy it.

Input: {"key": str, "amount": int}. Amounts above 100 wait until `approved` is true or the amount is lower.
"""

import warnings
from typing import Any, NotRequired

from langgraph.errors import NodeInterrupt
from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger

LIMIT = 100


class State(TypedDict):
    key: str
    amount: int
    approved: NotRequired[bool]


async def prepare(state: State) -> dict[str, Any]:
    return {"amount": state["amount"]}


async def check(state: State) -> dict[str, Any]:
    if state["amount"] > LIMIT and not state.get("approved"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            raise NodeInterrupt(f"{state['amount']} is more than {LIMIT}")
    return {}


async def act(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], "acted", {"amount": state["amount"], "approved": state.get("approved")})
    return {}


builder = StateGraph(State)
builder.add_node("prepare", prepare)
builder.add_node("check", check)
builder.add_node("act", act)
builder.add_edge(START, "prepare")
builder.add_edge("prepare", "check")
builder.add_edge("check", "act")
builder.add_edge("act", END)
graph = builder.compile(name="node_interrupt")

"""A graph that ends at once, well or by an exception. Input: {"key": str, "fail": bool}."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger


class State(TypedDict):
    key: str
    fail: bool


async def work(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], "worked")
    if state["fail"]:
        raise ValueError("the report has no rows")
    return {}


graph = StateGraph(State).add_node(work).add_edge(START, "work").add_edge("work", END).compile(name="failing")

"""Graphs that do nothing: what the graph library and the server cost by themselves."""

from itertools import pairwise
from typing import Any

from langgraph.graph import START, StateGraph
from typing_extensions import TypedDict


class Nothing(TypedDict):
    """One number, which nobody changes."""

    n: int


async def nothing(state: Nothing) -> dict[str, Any]:
    return {"n": state["n"]}


def chain(steps: int) -> StateGraph[Nothing]:
    """A graph of so many nodes one after the other, each a super-step."""
    builder = StateGraph(Nothing)
    names = [START, *(f"step{number}" for number in range(1, steps + 1))]
    for name in names[1:]:
        builder.add_node(name, nothing)
    for before, after in pairwise(names):
        builder.add_edge(before, after)
    return builder


graph = chain(3).compile(name="empty")

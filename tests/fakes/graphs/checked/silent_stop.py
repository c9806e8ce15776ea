"""`interrupt_after` on a last node, and on one with something behind it."""

from typing import Any

from langgraph.graph import END, START, StateGraph
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    done: bool


async def first(state: State) -> State:
    return {"done": False}


async def second(state: State) -> State:
    return {"done": True}


def graph(*, branches: bool = False, **stops: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("first", first)
    builder.add_node("second", second)
    builder.add_edge(START, "first")
    if branches:
        builder.add_conditional_edges("first", lambda state: "second" if state else END, ["second", END])
    else:
        builder.add_edge("first", "second")
    builder.add_edge("second", END)
    return builder.compile(**stops)


bad_last = graph(interrupt_after=["second"])
bad_all = graph(interrupt_after="*")
bad_may_be_last = graph(branches=True, interrupt_after=["first"])
good_first = graph(interrupt_after=["first"])
good_before = graph(interrupt_before=["second"])

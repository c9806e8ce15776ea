"""Graphs that are a function, and such that aren't."""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    done: bool


async def first(state: State) -> State:
    return {"done": False}


async def second(state: State) -> State:
    return {"done": True}


def goes(state: State) -> Command[Literal["second"]]:
    return Command(goto="second")


def asks(state: State) -> State:
    return {"done": bool(interrupt("done?"))}


def line(*nodes: Any, **stops: Any) -> Any:
    builder = StateGraph(State)
    names = ["first", "second", "third"][: len(nodes)]
    for name, node in zip(names, nodes, strict=True):
        builder.add_node(name, node)
    for before, after in zip([START, *names], [*names, END], strict=True):
        builder.add_edge(before, after)
    return builder.compile(**stops)


def branch() -> Any:
    builder = StateGraph(State)
    builder.add_node("first", first)
    builder.add_node("second", second)
    builder.add_conditional_edges(START, lambda state: "first" if state else "second", ["first", "second"])
    return builder.compile()


def one_way() -> Any:
    builder = StateGraph(State)
    builder.add_node("first", first)
    builder.add_node("second", second)
    builder.add_edge(START, "first")
    builder.add_conditional_edges("first", lambda state: "second", ["second"])
    return builder.compile()


def commands() -> Any:
    builder = StateGraph(State)
    builder.add_node("first", goes)
    builder.add_node("second", second)
    builder.add_edge(START, "first")
    return builder.compile()


bad_one_way = one_way()
bad_line = line(first, second)
bad_one = line(first)
good_branch = branch()
good_commands = commands()
good_asks = line(first, asks)
good_stops = line(first, second, interrupt_before=["second"])

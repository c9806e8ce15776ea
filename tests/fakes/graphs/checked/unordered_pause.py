"""interrupt() in loops whose order may change, and in loops that keep it."""

import asyncio
import os
import random
from typing import Any

import httpx
from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    tags: set[str]
    items: list[str]
    answers: dict[str, str]


def graph(node: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("gate", node)
    builder.add_edge(START, "gate")
    builder.add_edge("gate", END)
    return builder.compile()


def of_set(state: State) -> State:
    return {"answers": {item: interrupt(item) for item in set(state.get("items", []))}}


def of_state(state: State) -> State:
    for tag in state.get("tags", set()):
        interrupt(tag)
    return {}


def of_directory(state: State) -> State:
    for name in os.listdir("/etc"):  # noqa: PTH208
        interrupt(name)
    return {}


def of_variable(state: State) -> State:
    wanted = {item for item in state.get("items", []) if item}
    for item in wanted:
        interrupt(item)
    return {}


def of_answer(state: State) -> State:
    for order in httpx.get("https://example.com/orders").json():
        interrupt(order)
    return {}


async def side_by_side(state: State) -> State:
    await asyncio.gather(*[_ask(item) for item in state.get("items", [])])
    return {}


async def _ask(item: str) -> str:
    return interrupt(item)


def of_list(state: State) -> State:
    for item in state.get("items", []):
        interrupt(item)
    return {}


def of_sorted(state: State) -> State:
    for item in sorted(set(state.get("items", []))):
        interrupt(item)
    return {}


def counted(state: State) -> State:
    for number in range(3):
        if interrupt({"try": number}) == "yes":
            break
    return {}


def beside(state: State) -> State:
    wanted = [item for item in {"a", "b"}]  # noqa: C416
    return {"answers": {"": interrupt(sorted(wanted))}}


def shuffled(state: State) -> State:
    items = list(state.get("items", []))
    random.shuffle(items)
    for item in items:
        interrupt(item)
    return {}


def of_helper(state: State) -> State:
    for item in _wanted(state):
        interrupt(item)
    return {}


def _wanted(state: State) -> Any:
    return set(state.get("items", []))


def of_sorting_helper(state: State) -> State:
    for item in _in_order(state):
        interrupt(item)
    return {}


def _in_order(state: State) -> Any:
    return sorted(_wanted(state))


bad_of_helper = graph(of_helper)
good_of_sorting_helper = graph(of_sorting_helper)
bad_shuffled = graph(shuffled)
bad_of_set = graph(of_set)
bad_of_state = graph(of_state)
bad_of_directory = graph(of_directory)
bad_of_variable = graph(of_variable)
bad_of_answer = graph(of_answer)
bad_side_by_side = graph(side_by_side)
good_of_list = graph(of_list)
good_of_sorted = graph(of_sorted)
good_counted = graph(counted)
good_beside = graph(beside)

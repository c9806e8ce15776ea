"""Graphs that ask with a bare `interrupt(value)`: any JSON, once, twice in a row, and with the decider's name.

Input: {"key": str, "question": any JSON}; for `twice` {"key", "question", "then"}.
"""

from typing import Any, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict

from tests.fakes.graphs import ledger


class State(TypedDict):
    key: str
    question: Any
    then: NotRequired[Any]
    answer: NotRequired[Any]


class StampedState(State):
    decided_by: NotRequired[str | None]
    deciders: NotRequired[list[str]]


async def prepare(state: State) -> dict[str, Any]:
    """A step before the question, so that there is a checkpoint and a node that `update_state` can act as."""
    return {"question": state["question"]}


async def ask(state: State) -> dict[str, Any]:
    return {"answer": interrupt(state["question"])}


async def ask_twice(state: State) -> dict[str, Any]:
    """Two questions in one node: the second has an id of its own, and the first is not asked again."""
    return {"answer": [interrupt(state["question"]), interrupt(state.get("then"))]}


async def act(state: State) -> dict[str, Any]:
    await ledger.write(state["key"], "answered", state.get("answer"))
    return {}


async def act_stamped(state: StampedState) -> dict[str, Any]:
    said = {name: state.get(name) for name in ("answer", "decided_by", "deciders")}
    await ledger.write(state["key"], "answered", said)
    return {}


def _graph(name: str, state: Any, asks: Any, acts: Any):
    builder = StateGraph(state)
    builder.add_node("prepare", prepare)
    builder.add_node("ask", asks)
    builder.add_node("act", acts)
    builder.add_edge(START, "prepare")
    builder.add_edge("prepare", "ask")
    builder.add_edge("ask", "act")
    builder.add_edge("act", END)
    return builder.compile(name=name)


graph = _graph("plain", State, ask, act)
twice = _graph("twice", State, ask_twice, act)
stamped = _graph("stamped", StampedState, ask, act_stamped)

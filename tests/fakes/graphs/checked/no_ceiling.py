"""Cycles that nothing ends, and such that a counter, a person or LangGraph's own count ends."""

from typing import Any, Literal

from langgraph.graph import START, StateGraph
from langgraph.graph.message import MessagesState
from langgraph.managed import RemainingSteps
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import Command, interrupt
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    done: bool
    rounds: int


class Counting(State):
    remaining_steps: RemainingSteps


async def think(state: State) -> State:
    return {"rounds": state.get("rounds", 0) + 1}


async def act(state: State) -> State:
    return {"done": True}


def until_done(state: State) -> Literal["act", "__end__"]:
    return "__end__" if state.get("done") else "act"


def counted(state: State) -> Literal["act", "__end__"]:
    return "__end__" if state.get("done") or _enough(state) else "act"


def _enough(state: State) -> bool:
    return state.get("rounds", 0) >= 3


def ask(state: State) -> Command[Literal["think", "__end__"]]:
    return Command(goto="think" if interrupt("again?") else "__end__")


def again(state: State) -> Command[Literal["again", "__end__"]]:
    return Command(goto="__end__" if state.get("done") else "again")


def graph(router: Any, schema: Any = State, **limits: Any) -> Any:
    builder = StateGraph(schema)
    builder.add_node("think", think)
    builder.add_node("act", act)
    builder.add_edge(START, "think")
    builder.add_conditional_edges("think", router)
    builder.add_edge("act", "think")
    return builder.compile(**limits)


def single(node: Any) -> Any:
    builder = StateGraph(State)
    builder.add_node("think", think)
    builder.add_node("again", node)
    builder.add_edge(START, "think")
    builder.add_edge("think", "again")
    return builder.compile()


async def undeclared(state: State) -> Any:
    return Command(goto="__end__" if state.get("done") else "think")


async def to_parent(state: State) -> Any:
    return Command(goto="think", graph=Command.PARENT)


def asks_user(question: str) -> str:
    """Ask."""
    return str(interrupt(question))


def tooled() -> Any:
    """A tool that asks ends a cycle only if the model calls it."""
    builder = StateGraph(MessagesState)
    builder.add_node("think", lambda state: {"messages": []})
    builder.add_node("tools", ToolNode([asks_user]))
    builder.add_edge(START, "think")
    builder.add_conditional_edges("think", tools_condition)
    builder.add_edge("tools", "think")
    return builder.compile()


def of_subgraph() -> Any:
    inner = StateGraph(State)
    inner.add_node("worker", to_parent)
    inner.add_edge(START, "worker")
    return single(inner.compile())


bad_cycle = graph(until_done)
bad_limited = graph(until_done).with_config(recursion_limit=30)
bad_self = single(again)
bad_tools = tooled()
bad_undeclared = single(undeclared)
bad_parent = of_subgraph()
good_counted = graph(counted)
good_managed = graph(until_done, Counting)
good_person = single(ask)
good_stops = graph(until_done, interrupt_before=["act"])

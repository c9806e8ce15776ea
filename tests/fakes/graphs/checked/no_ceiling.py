"""Cycles that nothing ends, and such that a counter, a person or LangGraph's own count ends."""

from typing import Any, Literal, Required

from langgraph.graph import END, START, StateGraph
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


class Listed(TypedDict, total=False):
    done: bool
    items: Required[list[str]]
    n: int
    discount: float
    retrieval_score: float


def looping(node: Any, router: Any) -> Any:
    builder = StateGraph(Listed)
    builder.add_node("think", node)
    builder.add_edge(START, "think")
    builder.add_conditional_edges("think", router, {True: "think", False: END})
    return builder.compile()


def cuts(state: Listed) -> Listed:
    """A length that is looked at, and that ends nothing."""
    text = state["items"][0]
    return {"items": [text[:4_000] if len(text) > 4_000 else text]}


def takes_one(state: Listed) -> Listed:
    return {"items": state["items"][1:]}


def adds_one(state: Listed) -> dict[str, int]:
    return {"n": state.get("n", 0) + 1}


def adds_later(state: Listed) -> dict[str, int]:
    following = state.get("n", 0) + 1
    return dict(n=following)  # noqa: C408 - the keyword is what is read


def adds_item(state: Listed) -> Listed:
    return {"items": [*state["items"], "again"]}


def adds_in_place(state: Listed) -> dict[str, int]:
    n = state.get("n", 0)
    n += 1
    return {"n": n}


def pops(state: Listed) -> Listed:
    items = list(state["items"])
    items.pop(0)
    return {"items": items}


bad_lambda_counts = looping(lambda state: {"n": state["n"] + 1}, lambda state: not state.get("done"))
good_in_place = looping(adds_in_place, lambda state: state["n"] < 5)
good_popped = looping(pops, lambda state: bool(state["items"]))
bad_cut = looping(cuts, lambda state: not state.get("done"))
bad_discount = looping(cuts, lambda state: state["discount"] > 0.1)
bad_retrieval = looping(cuts, lambda state: state["retrieval_score"] < 0.7)
bad_any = looping(cuts, lambda state: len(state["items"]) > 0)
bad_word = looping(cuts, lambda state: state["items"][0] > "left")
bad_uncompared = looping(adds_one, lambda state: not state.get("done"))
good_any_number = looping(adds_one, lambda state: state["n"] < 5)
good_equal = looping(adds_one, lambda state: state["n"] != 5)
good_later = looping(adds_later, lambda state: bool(state["n"] < 5))
good_emptied = looping(takes_one, lambda state: len(state["items"]) > 0)
good_emptied_plainly = looping(takes_one, lambda state: bool(state["items"]))
good_length = looping(adds_item, lambda state: len(state["items"]) < 6)

"""Keys that two nodes of one super-step write: by edges, by a list, by Send, by Command, by ways of other length."""

import operator
from typing import Annotated, Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Overwrite, Send
from typing_extensions import TypedDict


class State(TypedDict, total=False):
    notes: list[str]
    kept: Annotated[list[str], operator.add]
    other: str
    last: str


async def one(state: State) -> State:
    return {"notes": ["one"], "kept": ["one"]}


async def two(state: State) -> dict[str, Any]:
    update: dict[str, Any] = {"kept": ["two"]}
    update["notes"] = ["two"]
    return update


async def three(state: State) -> State:
    return {"other": "three", "kept": ["three"]}


async def spread(state: State) -> State:
    return {**state, "kept": ["spread"]}


async def helped(state: State) -> dict[str, Any]:
    return _noted("helped") if state.get("other") else {"last": "none"}


def _noted(what: str) -> dict[str, Any]:
    return {"notes": [what]}


async def commands(state: State) -> Command[Literal["last"]]:
    return Command(goto="last", update={"notes": ["commands"]})


async def last(state: State) -> State:
    return {"last": "last"}


async def over(state: State) -> dict[str, Any]:
    return {"kept": Overwrite(["over"])}


async def over_too(state: State) -> dict[str, Any]:
    return {"kept": Overwrite(["over too"])}


def builder(**nodes: Any) -> StateGraph[Any]:
    built = StateGraph(State)
    for name, node in nodes.items():
        built.add_node(name, node)
    return built


async def set_default(state: State) -> dict[str, Any]:
    update: dict[str, Any] = {}
    update.setdefault("notes", ["default"])
    return update


def fan(first: Any, second: Any) -> Any:
    built = builder(first=first, second=second, last=last)
    built.add_edge(START, "first")
    built.add_edge(START, "second")
    built.add_edge(["first", "second"], "last")
    built.add_edge("last", END)
    return built.compile()


def routed(router: Any) -> Any:
    built = builder(one=one, two=two, three=three)
    built.add_conditional_edges(START, router, ["one", "two", "three"])
    return built.compile()


def both(state: State) -> list[str]:
    return ["one", "two"]


def either(state: State) -> Literal["one", "two"] | list[Literal["one", "three"]]:
    return "two" if state.get("other") else ["one", "three"]


def some(state: State) -> list[Literal["one", "two"]]:
    return [each for each in ("one", "two") if each in state.get("notes", [])]


def filled(state: State) -> list[str]:
    ways = []
    if state.get("notes"):
        ways.append("one")
    if state.get("other"):
        ways += ["two"]
    return ways


def sent(state: State) -> list[Send]:
    return [Send("one", {"notes": [each]}) for each in state.get("notes", [])]


def sent_once(state: State) -> list[Send] | str:
    return [Send("three", {}), Send("one", {})]


def uneven(second: Any) -> Any:
    """one > middle > late beside two > second: `late` and the fourth step of the other way meet."""
    built = builder(one=three, middle=three, short=last, late=one, second=second)
    built.add_edge(START, "one")
    built.add_edge(START, "short")
    built.add_edge("one", "middle")
    built.add_edge("middle", "late")
    built.add_edge("short", "wait")
    built.add_node("wait", last)
    built.add_edge("wait", "second")
    return built.compile()


def joined() -> Any:
    """The same keys, but the second writer waits for the first behind a join."""
    built = builder(start=three, one=one, beside=last, two=two)
    built.add_edge(START, "start")
    built.add_edge("start", "one")
    built.add_edge("start", "beside")
    built.add_edge(["one", "beside"], "two")
    return built.compile()


def goes(state: State) -> Command[Literal["one", "two"]]:
    return Command(goto=["one", "two"])


def goes_one(state: State) -> Command[Literal["one", "two"]]:
    return Command(goto="one" if state.get("other") else "two")


def commanded(node: Any) -> Any:
    built = builder(start=node, one=one, two=two)
    built.add_edge(START, "start")
    return built.compile()


def inner_graph() -> Any:
    built = builder(one=one)
    built.add_edge(START, "one")
    return built.compile()


bad_fan = fan(one, two)
bad_helped = fan(helped, one)
bad_set_default = fan(set_default, one)
bad_spread = fan(spread, one)
bad_commands = fan(commands, two)
bad_lambda = fan(one, lambda state: {"notes": []})
bad_overwrites = fan(over, over_too)
bad_subgraph = fan(inner_graph(), two)
bad_list = routed(both)
bad_some = routed(some)
bad_filled = routed(filled)
bad_sent = routed(sent)
bad_uneven = uneven(two)
bad_command = commanded(goes)
good_fan = fan(one, three)
good_overwrite = fan(over, one)
good_either = routed(either)
good_sent_once = routed(sent_once)
good_uneven = uneven(three)
good_joined = joined()
good_command = commanded(goes_one)
good_lambda_router = routed(lambda state: "one" if state else "two")

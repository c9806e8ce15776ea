"""Which nodes share a super-step: whatever a graph does when it runs was said to be possible."""

import asyncio
from itertools import combinations_with_replacement
from pathlib import Path
from typing import Annotated, Any

from hypothesis import given, settings
from hypothesis import strategies as st
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, Send
from typing_extensions import TypedDict

from stationmaster.checking.compiled import Graph
from stationmaster.checking.finding import Place
from stationmaster.checking.together import together

NODES = ("a", "b", "c", "d", "e", "f")
HERE = Path(__file__)


class State(TypedDict):
    steps: Annotated[list[Any], lambda left, right: [*left, *right]]


def leading(names: list[str]) -> Any:
    def route(state: State) -> list[str]:
        return names

    return route


def sending(name: str, times: int) -> Any:
    def route(state: State) -> list[Send]:
        return [Send(name, state) for _ in range(times)]

    return route


def working(goto: list[str]) -> Any:
    def work(state: State) -> Command[Any]:
        return Command(goto=goto)

    return work


Way = tuple[str, int, list[int]]
KINDS = ("edge", "join", "list", "send", "goto")
later = st.integers(0, 5)
way = st.tuples(st.sampled_from(KINDS), later, st.lists(later, min_size=1, max_size=3))


def built(ways: list[Way], first: list[int]) -> Any:
    """Edges lead from a node to later ones only, so that it ends."""
    builder = StateGraph(State)
    for number, name in enumerate(NODES):
        goto = [
            each for kind, source, targets in ways if (kind, source) == ("goto", number) for each in targets
        ]
        builder.add_node(
            name, working([NODES[each] for each in goto if each > number]), destinations=(*NODES, END)
        )
    for each in sorted(set(first)):
        builder.add_edge(START, NODES[each])
    for number, (kind, source, targets) in enumerate(ways):
        onward = [NODES[each] for each in sorted({each for each in targets if each > source})]
        if onward:
            add(builder, kind, NODES[source], onward, number)
    return builder.compile()


def add(builder: Any, kind: str, source: str, onward: list[str], number: int) -> None:
    if kind == "edge":
        for each in onward:
            builder.add_edge(source, each)
    elif kind == "join":
        builder.add_edge(sorted({source, *onward[:-1]}), onward[-1])
    elif kind in ("list", "send"):
        route = leading(onward) if kind == "list" else sending(onward[0], len(onward) + 1)
        route.__name__ = f"route_{number}"
        builder.add_conditional_edges(source, route, [*NODES])


async def run_together(graph: Any) -> set[tuple[str, str]]:
    """The pairs that really shared a super-step."""
    steps: dict[int, list[str]] = {}
    async for event in graph.astream({"steps": []}, {"recursion_limit": 60}, stream_mode="debug"):
        if event["type"] == "task":
            steps.setdefault(event["step"], []).append(event["payload"]["name"])
    return {
        tuple(sorted((one, other)))  # type: ignore[misc]
        for names in steps.values()
        for index, one in enumerate(names)
        for other in names[index + 1 :]
    }


@settings(max_examples=60)
@given(st.lists(way, min_size=1, max_size=9), st.lists(later, min_size=1, max_size=2))
def test_what_ran_together_was_said_to(kinds: list[Way], first: list[int]) -> None:
    compiled = built(kinds, first)
    graph = Graph("g", compiled, Place(HERE, 1), (HERE.parent,))
    # A declared end may be taken alone; what is read of the source says which are taken together.
    assert asyncio.run(run_together(compiled)) <= together(graph).pairs


def test_a_line_shares_nothing() -> None:
    compiled = built([("edge", 0, [1]), ("edge", 1, [2])], [0])
    graph = Graph("g", compiled, Place(HERE, 1), (HERE.parent,))
    found = together(graph).pairs
    assert len(found) < len(list(combinations_with_replacement(NODES, 2)))

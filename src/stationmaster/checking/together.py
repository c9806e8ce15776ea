"""Which nodes can run in one super-step: pairs that one step starts, and pairs to which such a pair leads.

Two ways of different length from one node meet as well: what is followed are pairs of steps, not ways. A node behind a
join waits for all its sources, a deferred one for everything.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import combinations, product

from stationmaster.checking.compiled import END, Graph
from stationmaster.checking.reading import routes
from stationmaster.checking.reading.routes import Choice, Routes

Pair = tuple[str, str]


@dataclass
class Together:
    """Pairs in alphabetical order; a node with itself is a node that is sent to several times. `unknown`: the nodes
    behind which answers could not be read: each was taken to lead to one node at a time.
    """

    pairs: set[Pair] = field(default_factory=set)
    unknown: set[str] = field(default_factory=set)


def together(graph: Graph) -> Together:
    """Every pair that may share a super-step."""
    found = Together()
    steps = {name: _steps(graph, name, found) for name in ("__start__", *graph.nodes)}
    left: list[Pair] = []
    waiting = _waiting(graph)

    def add(first: str, second: str) -> None:
        pair = (first, second) if first <= second else (second, first)
        if pair not in found.pairs and _may(graph, *pair):
            found.pairs.add(pair)
            left.append(pair)

    for name in steps:
        for first, second in _started(graph, name, steps[name]):
            add(first, second)
    while left:
        one, other = left.pop()
        for first, second in product(_next(graph, one, steps), _next(graph, other, steps)):
            waits = second in waiting.get(first, ()) or first in waiting.get(second, ())
            if first != second and not waits:
                add(first, second)
        if one == other:  # sent to several times: each may lead elsewhere
            for first, second in combinations(sorted(_next(graph, one, steps)), 2):
                add(first, second)
    return found


def _steps(graph: Graph, name: str, found: Together) -> list[Routes]:
    """The answers of each router behind a node, and of the node's own commands."""
    known = [
        routes.of_router(router.function, router.ends, graph.roots)
        for router in graph.routers
        if router.source == name
    ]
    node = graph.nodes.get(name)
    if node is not None and node.graph is not None and known:
        # Both lead on when a subgraph sends its parent somewhere; that they agree can't be seen, and is taken to be so.
        known[0] = Routes(known[0].choices | graph.commanded(node).choices, known[0].unknown)
    elif node is not None:
        known.append(graph.commanded(node))
    if any(each.unknown for each in known):
        found.unknown.add(name)
    return known


def _started(graph: Graph, name: str, known: list[Routes]) -> Iterator[Pair]:
    """What one step of a node starts side by side."""
    fixed = [frozenset({target}) for target in graph.edges.get(name, ())]
    fixed += [frozenset({target}) for sources, target in graph.joins if sources == {name}]
    answers = [each.targets for each in known]
    for one, other in combinations([*fixed, *answers], 2):
        yield from ((a, b) for a, b in product(one, other) if a != b)
    for choice in (choice for each in known for choice in each.choices):
        yield from _of(choice)


def _of(choice: Choice) -> Iterator[Pair]:
    if choice.together:
        yield from combinations(sorted(choice.targets), 2)
    if choice.several:
        yield from ((target, target) for target in choice.targets)


def _next(graph: Graph, name: str, steps: dict[str, list[Routes]]) -> set[str]:
    there = set(graph.edges.get(name, ())) | {target for sources, target in graph.joins if name in sources}
    for each in steps[name]:
        for choice in each.choices:
            there |= choice.targets
    return {target for target in there if target in graph.nodes and target != END}


def _may(graph: Graph, first: str, second: str) -> bool:
    if first not in graph.nodes or second not in graph.nodes:
        return False
    return graph.nodes[first].deferred == graph.nodes[second].deferred


def _waiting(graph: Graph) -> dict[str, set[str]]:
    """For each node behind a join, the nodes from which a way leads to one of its sources before it."""
    found: dict[str, set[str]] = {}
    for sources, target in graph.joins:
        before = set(sources)
        left = list(sources)
        while left:
            name = left.pop()
            for each in graph.nodes:
                if each not in before and each != target and name in graph.ways.get(each, ()):
                    before.add(each)
                    left.append(each)
        found.setdefault(target, set()).update(before)
    return found

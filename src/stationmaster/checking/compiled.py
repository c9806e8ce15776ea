"""A compiled graph as the rules look at it: nodes with their functions, routers, edges, and where each is written."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from langgraph.graph import END, START
from langgraph.pregel import Pregel
from langgraph.types import RetryPolicy

from stationmaster.checking.cycles import cycles_of
from stationmaster.checking.finding import Place
from stationmaster.checking.reading import files, functions, reads, routes, writes
from stationmaster.checking.reading.files import is_ours
from stationmaster.checking.reading.flow import flow_of
from stationmaster.checking.reading.functions import Function
from stationmaster.checking.reading.happening import Flow


@dataclass(frozen=True, eq=False)
class Node:
    """One node. `functions` are empty where it has no source here; `graph` is a subgraph that is the node itself."""

    name: str
    place: Place
    functions: tuple[Function, ...]
    graph: Pregel | None
    ends: tuple[str, ...] | None
    effect: str | None
    retries: tuple[RetryPolicy, ...]
    deferred: bool
    schema: Any
    runnable: Any = field(repr=False)
    roots: tuple[Path, ...] = field(repr=False)

    @cached_property
    def flow(self) -> Flow:
        return flow_of(self.functions, self.roots)

    @property
    def is_ours(self) -> bool:
        """Whether its source is the project's own."""
        return any(is_ours(function.file.path, self.roots) for function in self.functions)


@dataclass(frozen=True, eq=False)
class Router:
    """One conditional edge: where it begins, its function, and where it may lead, if that is declared."""

    source: str
    function: Function | None
    ends: Mapping[Any, str] | None
    place: Place
    runnable: Any = field(repr=False)


class Graph:
    """One graph of langgraph.json, or a subgraph of one, which is named `outer/node`."""

    def __init__(self, name: str, pregel: Pregel, place: Place, roots: tuple[Path, ...]) -> None:
        self.name, self.pregel, self.place, self.roots = name, pregel, place, roots
        self.builder: Any = getattr(pregel, "builder", None)

    @cached_property
    def nodes(self) -> dict[str, Node]:
        return (
            {name: self._node(name, spec) for name, spec in self.builder.nodes.items()}
            if self.builder
            else {}
        )

    @cached_property
    def routers(self) -> list[Router]:
        found: list[Router] = []
        for source, branches in (self.builder.branches if self.builder else {}).items():
            for branch in branches.values():
                function = next(functions.all_of(branch.path), None)
                place = function.place if function else self._place_of(source)
                found.append(Router(source, function, branch.ends, place, branch.path))
        return found

    @cached_property
    def edges(self) -> dict[str, set[str]]:
        """Static edges; joins are in `joins`."""
        found: dict[str, set[str]] = {}
        for source, target in self.builder.edges if self.builder else ():
            found.setdefault(source, set()).add(target)
        return found

    @property
    def joins(self) -> list[tuple[frozenset[str], str]]:
        """Nodes that wait for all of several others."""
        return [
            (frozenset(sources), target)
            for sources, target in (self.builder.waiting_edges if self.builder else ())
        ]

    @property
    def channels(self) -> Mapping[str, Any]:
        return self.builder.channels if self.builder else {}

    @property
    def schema(self) -> Any:
        return self.builder.state_schema if self.builder else None

    @cached_property
    def ways(self) -> dict[str, set[str]]:
        """Where each node may lead, by any way; START and END are among them."""
        found = {name: set(targets) for name, targets in self.edges.items()}
        for sources, target in self.joins:
            for source in sources:
                found.setdefault(source, set()).add(target)
        everywhere = {*self.nodes, END}
        for router in self.routers:
            found.setdefault(router.source, set()).update(
                router.ends.values() if router.ends is not None else everywhere
            )
        for node in self.nodes.values():
            found.setdefault(node.name, set()).update(
                {*self.commanded(node).targets & everywhere, *(node.ends or ())}
            )
        return found

    def commanded(self, node: Node) -> routes.Routes:
        """Where a node leads by `Command`, declared or not; of a subgraph, where its nodes send this one."""
        if node.graph is None:
            return routes.of_commands(
                node.flow.functions.values() if node.is_ours else (), node.ends, self.roots
            )
        inner = Graph(f"{self.name}/{node.name}", node.graph, node.place, self.roots).nodes.values()
        functions = [function for each in inner if each.is_ours for function in each.flow.functions.values()]
        return routes.of_commands(functions, node.ends, self.roots, parent=True)

    @cached_property
    def cycles(self) -> list[frozenset[str]]:
        """Sets of nodes from each of which every other one of the set can be reached again."""
        return self.cycles_without(frozenset())

    def cycles_without(self, left_out: frozenset[str]) -> list[frozenset[str]]:
        """The cycles that there are without some nodes."""
        kept = set(self.nodes) - left_out
        return cycles_of({name: self.ways.get(name, set()) & kept for name in sorted(kept)})

    def is_ours(self, function: Function) -> bool:
        """Whether a function is the project's own."""
        return is_ours(function.file.path, self.roots)

    @cached_property
    def reads(self) -> dict[str, list[reads.Read]]:
        """What is read without a default, by key; keys that always have a value are left out."""
        found: dict[str, list[reads.Read]] = {}
        for node in self.nodes.values():
            for read in reads.of_node(self, node):
                if type(self.channels.get(read.key)).__name__ in reads.SINGLE:
                    found.setdefault(read.key, []).append(read)
        return found

    @cached_property
    def certain(self) -> dict[str, frozenset[str]]:
        """The keys that each node writes, whatever way it takes."""
        nodes = self.nodes.values()
        return {node.name: writes.of_node(node.functions, self.roots, node.schema).certain for node in nodes}

    def reachable(self, start: str) -> set[str]:
        """The nodes to which a way leads from `start`; itself only by a cycle."""
        found: set[str] = set()
        left = list(self.ways.get(start, ()))
        while left:
            name = left.pop()
            if name not in found and name != END:
                found.add(name)
                left.extend(self.ways.get(name, ()))
        return found

    def _node(self, name: str, spec: Any) -> Node:
        graph = spec.runnable if isinstance(spec.runnable, Pregel) else None
        found = () if graph else tuple(functions.all_of(spec.runnable))
        place = self._place_of(name) or (found[0].place if found else self.place)
        if place == self.place and found and is_ours(found[0].file.path, self.roots):
            place = found[0].place
        retries = spec.retry_policy or ()
        metadata = spec.metadata or {}
        ends = spec.ends
        return Node(
            name, place, found, graph, tuple(ends) if ends else None, metadata.get("effect"),
            (retries,) if isinstance(retries, RetryPolicy) else tuple(retries), bool(getattr(spec, "defer", False)),
            spec.input_schema, spec.runnable, self.roots,
        )  # fmt: skip

    def _place_of(self, name: str) -> Place:
        """Where the graph's file adds the node; where it is added under a name that is computed, the graph's own."""
        return self._added.get(name, self.place)

    @cached_property
    def _added(self) -> dict[str, Place]:
        file = files.read(self.place.file)
        found: dict[str, Place] = {}
        for node in ast.walk(file.tree) if file else ():
            if not isinstance(node, ast.Call) or not node.args or "add" not in ast.unparse(node.func)[-12:]:
                continue
            first = node.args[0]
            name = first.value if isinstance(first, ast.Constant) else getattr(first, "id", None)
            called = ast.unparse(node.func).rpartition(".")[2]
            if isinstance(name, str) and called in ("add_node", "add"):
                found.setdefault(name, Place(self.place.file, node.lineno, node.end_lineno or node.lineno))
        return found


def with_subgraphs(graph: Graph, depth: int = 6) -> Iterator[Graph]:
    """The graph and those that are its nodes, down to `depth`."""
    yield graph
    for node in graph.nodes.values() if depth else ():
        if node.graph is not None:
            inner = Graph(f"{graph.name}/{node.name}", node.graph, node.place, graph.roots)
            yield from with_subgraphs(inner, depth - 1)


__all__ = ["END", "START", "Graph", "Node", "Router", "with_subgraphs"]

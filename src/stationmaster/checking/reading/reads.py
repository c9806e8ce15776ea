"""The keys of the state that are read without a default: `state["key"]`, in a node, a router, or what they call."""

import ast
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from stationmaster.checking.finding import Place
from stationmaster.checking.reading.flow import flow_of
from stationmaster.checking.reading.functions import Function
from stationmaster.checking.reading.resolving import Scope, scope_of, walk_own

if TYPE_CHECKING:
    from stationmaster.checking.compiled import Graph, Node


@dataclass(frozen=True)
class Read:
    """One read; `who` is the node or router for which it is done."""

    key: str
    who: str
    node: str
    place: Place


def of_graph(graph: "Graph") -> Iterator[Read]:
    """All reads of its nodes and routers."""
    for node in graph.nodes.values():
        yield from of_node(graph, node)
    if "__start__" in {router.source for router in graph.routers}:
        yield from of_routers(graph, "__start__")


def of_node(graph: "Graph", node: "Node") -> Iterator[Read]:
    """Those of a node, and of the routers behind it."""
    if node.schema in (None, graph.schema):
        yield from _reads(node.flow.functions.values(), node.name, node.name)
    yield from of_routers(graph, node.name)


def of_routers(graph: "Graph", source: str) -> Iterator[Read]:
    """Those of the routers behind a node."""
    for router in graph.routers:
        if router.source == source and router.function is not None:
            followed = flow_of([router.function], graph.roots).functions.values()
            yield from _reads(followed, f"{router.function.name}, the router behind {source},", source)


def _reads(found: Iterable[Function], who: str, name: str) -> Iterator[Read]:
    for function in found:
        scope = scope_of(function)
        states = [each for each in function.parameters if _is_state(each, scope)]
        if not states:
            continue
        asked = {key for node in walk_own(function) for key in _asked_first(node, states)}
        for node in walk_own(function):
            match node:
                case ast.Subscript(
                    value=ast.Name(id=holder), slice=ast.Constant(value=str() as key), ctx=ast.Load()
                ):
                    if holder in states and key not in asked:
                        yield Read(key, who, name, function.at(node))


def _is_state(parameter: str, scope: Scope) -> bool:
    """A first parameter, called state or annotated with a TypedDict."""
    hint = scope.hints.get(parameter)
    is_typed = inspect.isclass(hint) and hasattr(hint, "__required_keys__")
    return parameter == "state" or (is_typed and scope.function.parameters[:1] == [parameter])


def _asked_first(node: ast.AST, states: list[str]) -> Iterator[str]:
    """Keys whose absence the function knows of: `"key" in state`, `state.get("key")`."""
    match node:
        case ast.Compare(left=ast.Constant(value=str() as key), ops=[ast.In() | ast.NotIn()]):
            yield key
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=holder), attr="get"),
            args=[ast.Constant(value=str() as key), *_],
        ) if holder in states:
            yield key

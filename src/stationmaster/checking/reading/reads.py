"""The keys of the state that are read without a default: `state["key"]`, in a node, a router, or what they call."""

import ast
import inspect
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING

from stationmaster.checking.finding import Place
from stationmaster.checking.reading import functions, writes
from stationmaster.checking.reading.flow import flow_of
from stationmaster.checking.reading.functions import Function
from stationmaster.checking.reading.resolving import Scope, scope_of, walk_own
from stationmaster.checking.reading.standing import Inner, Live

if TYPE_CHECKING:
    from stationmaster.checking.compiled import Graph, Node

SINGLE = ("LastValue", "LastValueAfterFinish", "EphemeralValue", "UntrackedValue")
"""Channels that take one value a step, and have none before the first."""


DEEPEST = 12
KEY_ERRORS = ("KeyError", "LookupError", "Exception", "BaseException")


@dataclass(frozen=True)
class Read:
    """One read; `who` is the node or router for which it is done."""

    key: str
    who: str
    node: str
    place: Place


def of_node(graph: "Graph", node: "Node") -> Iterator[Read]:
    """Those of a node, and of the routers behind it. What a `Send` hands over is no key of the state."""
    keys = None if node.schema in (None, graph.schema) else set(writes.keys_of(graph.schema))
    for read in _reads(node.flow.functions.values(), node.name, node.name, node.functions):
        if keys is None or read.key in keys:
            yield read
    yield from of_routers(graph, node.name)


def of_routers(graph: "Graph", source: str) -> Iterator[Read]:
    """Those of the routers behind a node."""
    for router in graph.routers:
        if router.source == source and router.function is not None:
            followed = flow_of([router.function], graph.roots).functions.values()
            yield from _reads(
                followed, f"{router.function.name}, the router behind {source},", source, (router.function,)
            )


def unwritten(graph: "Graph", start: str) -> dict[str, Read]:
    """The keys without which a thread that waits in a node comes to a KeyError: read on some way from there, before a
    node that writes them in any case. Keys with a reducer always have a value.
    """
    found: dict[str, Read] = {}
    for key, reads in graph.reads.items():
        left, seen = [start], set[str]()
        while left:
            name = left.pop()
            if name in seen or name not in graph.nodes:
                continue
            seen.add(name)
            writes_it = key in graph.certain[name]
            for read in reads:
                if read.node == name and (not writes_it or read.who == name):
                    found.setdefault(key, read)
            left += [] if writes_it else sorted(graph.ways.get(name, ()))
    return found


def _reads(found: Iterable[Function], who: str, name: str, given: Iterable[Function]) -> Iterator[Read]:
    """`given` are the functions to which LangGraph hands the state, whatever they call it."""
    known = list(found)
    named = _handed_on(known, {id(each.node): set(each.parameters[:1]) for each in given})
    looked_at = {
        key for each in given for node in walk_own(each) for key in _asked_first(node, each.parameters[:1])
    }
    for function in known:
        scope = scope_of(function)
        states = [
            each
            for each in function.parameters
            if each in named.get(id(function.node), ()) or _is_state(each, scope)
        ]
        if not states:
            continue
        asked = looked_at | {key for node in walk_own(function) for key in _asked_first(node, states)}
        for node in walk_own(function):
            match node:
                case ast.Subscript(
                    value=ast.Name(id=holder), slice=ast.Constant(value=str() as key), ctx=ast.Load()
                ):
                    if holder in states and key not in asked:
                        yield Read(key, who, name, function.at(node))


def _handed_on(found: list[Function], named: dict[int, set[str]]) -> dict[int, set[str]]:
    """What each function calls the state that it is given: by the node's own function, and on from there by calls."""
    for _ in range(DEEPEST):
        before = {node: set(names) for node, names in named.items()}
        for function in found:
            for call in (each for each in walk_own(function) if isinstance(each, ast.Call)):
                callee = _callee(call, scope_of(function))
                pairs = zip(callee.parameters, call.args, strict=False) if callee else ()
                names = {
                    to
                    for to, value in pairs
                    if isinstance(value, ast.Name) and value.id in named.get(id(function.node), ())
                }
                if callee and names:
                    named.setdefault(id(callee.node), set()).update(names)
        if named == before:
            break
    return named


def _callee(call: ast.Call, scope: Scope) -> Function | None:
    match scope.resolve(call.func):
        case Inner(function=function):
            return function
        case Live(thing=FunctionType() as thing):
            return functions.of(thing)
    return None


def _is_state(parameter: str, scope: Scope) -> bool:
    """A first parameter, called state or annotated with a TypedDict."""
    hint = scope.hints.get(parameter)
    is_typed = inspect.isclass(hint) and hasattr(hint, "__required_keys__")
    return parameter == "state" or (is_typed and scope.function.parameters[:1] == [parameter])


def _asked_first(node: ast.AST, states: list[str]) -> Iterator[str]:
    """Keys whose absence the function knows of: `"key" in state`, `state.get("key")`, a handler of KeyError."""
    match node:
        case ast.Try(body=body, handlers=handlers) if any(_of_key_error(each) for each in handlers):
            inside = (each for statement in body for each in ast.walk(statement))
            yield from (
                each.value
                for each in inside
                if isinstance(each, ast.Constant) and isinstance(each.value, str)
            )
        case ast.Compare(left=ast.Constant(value=str() as key), ops=[ast.In() | ast.NotIn()]):
            yield key
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=holder), attr="get"),
            args=[ast.Constant(value=str() as key), *_],
        ) if holder in states:
            yield key


def _of_key_error(handler: ast.ExceptHandler) -> bool:
    caught = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any(each is None or ast.unparse(each) in KEY_ERRORS for each in caught)

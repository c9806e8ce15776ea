"""Retry policies that try again what will never work."""

import ast
from collections.abc import Iterator
from typing import Any

from langgraph.types import RetryPolicy

from stationmaster.checking.audit import Whole
from stationmaster.checking.finding import Found, Rule
from stationmaster.checking.reading import functions
from stationmaster.checking.reading.functions import Function


def _find(whole: Whole) -> Iterator[Found]:
    for graph in whole.graphs:
        for node in graph.nodes.values():
            for policy in node.retries:
                if said := _broad(policy.retry_on):
                    yield Found(graph.name, node.place, f"{node.name} is tried again {said}")


def _broad(retry_on: Any) -> str | None:
    if retry_on is RetryPolicy().retry_on:
        return "on the default: on any exception that is not on its short list of bugs"
    kinds = retry_on if isinstance(retry_on, list | tuple) else (retry_on,)
    if any(kind in (Exception, BaseException) for kind in kinds):
        return "on any Exception"
    function = functions.of(retry_on) if callable(retry_on) and not isinstance(retry_on, type) else None
    if function is not None:
        returns = [
            node for node in (*function.body, *ast.walk(function.node)) if isinstance(node, ast.Return)
        ]
        if returns and all(_always(each.value, function) for each in returns):
            return "on anything: retry_on is always true"
    return None


def _always(value: ast.expr | None, function: Function) -> bool:
    """True itself, `isinstance(error, Exception)` and `error is not None`."""
    match value:
        case ast.Constant(value=True):
            return True
        case ast.Compare(left=ast.Name(id=name), ops=[ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return name in function.parameters
        case ast.Call(func=ast.Name(id="isinstance"), args=[ast.Name(id=name), ast.Name(id=kind)]):
            return name in function.parameters and kind in ("Exception", "BaseException")
    return False


RULE = Rule(
    name="broad-retry",
    looks_for="a retry policy whose `retry_on` is the default, Exception, or always true",
    why="A refused payment, a wrong key and a bug are tried again as well: slower, and with their effects repeated.",
    write="`RetryPolicy(retry_on=is_transient)`, a function that knows what passes: timeouts, 429, 5xx",
    find=_find,
)

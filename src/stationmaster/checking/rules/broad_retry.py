"""Retry policies that try again what will never work."""

import ast
from collections.abc import Iterator
from typing import Any

from langgraph.types import RetryPolicy

from stationmaster.checking.audit import Whole
from stationmaster.checking.finding import Found, Rule
from stationmaster.checking.reading import functions


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
        if returns and all(
            isinstance(each.value, ast.Constant) and each.value.value is True for each in returns
        ):
            return "on anything: retry_on returns True"
    return None


RULE = Rule(
    name="broad-retry",
    looks_for="a retry policy whose `retry_on` is the default, Exception, or always true",
    why="A refused payment, a wrong key and a bug are tried again as well: slower, and with their effects repeated.",
    write="`RetryPolicy(retry_on=is_transient)`, a function that knows what passes: timeouts, 429, 5xx",
    find=_find,
)

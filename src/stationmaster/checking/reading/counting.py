"""Whether the functions of a cycle count something and look at it, so that it ends by itself."""

import ast
import operator
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from stationmaster.checking.reading.functions import Function
from stationmaster.checking.reading.resolving import Scope, scope_of, walk_own
from stationmaster.checking.reading.standing import Live

# Whole words of a name: a discount is no count, and what is called retrieval_score counts no tries.
WORDS = frozenset({
    "turn", "turns", "round", "rounds", "attempt", "attempts", "try", "tries", "retry", "retries", "step", "steps",
    "count", "counts", "counter", "counted", "iteration", "iterations", "loop", "loops", "calls", "usage", "cost",
    "costs", "budget", "limit", "limits", "max", "maximum", "most", "remaining", "left", "enough", "spent", "depth",
    "hops", "asked", "handoffs",
})  # fmt: skip
SPLIT = re.compile(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])")
ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
EQUAL = (ast.Eq, ast.NotEq)


def ends(functions: Iterable[Function], deciding: Iterable[Function], channels: Mapping[str, Any]) -> bool:
    """Whether something counted is looked at, by `functions` of the cycle; `deciding` are those that say where it goes.

    Counted is what is named so where it is compared, what a function of the cycle adds to or takes from, and, where it
    is decided, the length of something in the state.
    """
    everything = list(functions)
    keys = set(_stepped(everything, channels))
    if any(_by_name(node) for each in everything for node in walk_own(each) if isinstance(node, ast.Compare)):
        return True
    decides = list(deciding)
    if any(_of_length(node, scope_of(each)) for each in decides for node in walk_own(each)):
        return True
    tests = [test for each in everything for test in _tests(each)]
    tests += [each.node.body for each in decides if isinstance(each.node, ast.Lambda)]
    return any(keys & set(_mentioned(test)) for test in tests)


def _by_name(node: ast.Compare) -> bool:
    """A number that is named as a counter is, compared with another."""
    known = [each for each in (node.left, *node.comparators) if isinstance(each, ast.Constant)]
    if any(isinstance(each.value, str) for each in known):
        return False
    numbers = any(isinstance(each.value, int | float) and not isinstance(each.value, bool) for each in known)
    equal = numbers and any(isinstance(each, EQUAL) for each in node.ops)
    if not equal and not any(isinstance(each, ORDERED) for each in node.ops):
        return False
    return any(word.lower() in WORDS for name in _names(node) for word in SPLIT.split(name))


def _names(node: ast.AST) -> Iterator[str]:
    """Names, attributes, and the keys by which something is read."""
    for each in ast.walk(node):
        match each:
            case ast.Name(id=name) | ast.Attribute(attr=name):
                yield name
            case ast.Subscript(slice=ast.Constant(value=str() as key)):
                yield key
            case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str() as key), *_]):
                yield key


def _mentioned(test: ast.AST) -> Iterator[str]:
    for each in ast.walk(test):
        match each:
            case ast.Attribute(attr=key) | ast.Constant(value=str() as key):
                yield key


def _of_length(node: ast.AST, scope: Scope) -> bool:
    """The length of something, compared with more than one: `len(x) > 0` only says whether there is any."""
    if not isinstance(node, ast.Compare):
        return False
    parts = [node.left, *node.comparators]
    lengths = [each for each in parts if isinstance(each, ast.Call) and ast.unparse(each.func) == "len"]
    few = any(isinstance(each, Live) and each.thing in (0, 1) for each in map(scope.resolve, parts))
    return bool(lengths) and not few


def _tests(function: Function) -> Iterator[ast.AST]:
    """What a function looks at where it takes one way or another."""
    for node in walk_own(function):
        match node:
            case ast.Compare() | ast.BoolOp():
                yield node
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test):
                yield test


def _stepped(functions: Iterable[Function], channels: Mapping[str, Any]) -> Iterator[str]:
    """Keys to which a number is added, or from whose list something is taken, with each round."""
    for function in functions:
        for key, value in _written(function):
            channel = channels.get(key)
            sums = getattr(channel, "operator", None) is operator.add
            if _is_step(value, scope_of(function)) or (
                sums and type(getattr(channel, "value", None)) in (int, float)
            ):
                yield key


def _written(function: Function) -> Iterator[tuple[str, ast.expr]]:
    for node in walk_own(function):
        match node:
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                yield from (
                    (k.value, v) for k, v in pairs if isinstance(k, ast.Constant) and isinstance(k.value, str)
                )
            case ast.keyword(arg=str() as name, value=value):
                yield name, value
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant(value=str() as key))], value=value):
                yield key, value


def _is_step(value: ast.AST, scope: Scope, depth: int = 2) -> bool:
    match value:
        case ast.BinOp(op=ast.Add() | ast.Sub(), left=left, right=right):
            return any(
                isinstance(each, ast.Constant) and type(each.value) in (int, float) for each in (left, right)
            )
        case ast.Subscript(slice=ast.Slice(lower=ast.Constant(value=int() as lower))):
            return lower > 0
        case ast.Name(id=name) if depth:
            given = any(_is_step(each, scope, depth - 1) for each in scope.assigned.get(name, ()))
            return given or any(_changes(each, name) for each in scope.nodes)
    return False


def _changes(node: ast.AST, name: str) -> bool:
    """`n += 1`, and `queue.pop()`."""
    match node:
        case ast.AugAssign(target=ast.Name(id=target), value=ast.Constant(value=int() | float())):
            return target == name
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=target), attr="pop" | "popleft" | "popitem" | "remove")
        ):
            return target == name
    return False

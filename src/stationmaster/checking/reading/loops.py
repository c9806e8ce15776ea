"""Loops whose order may be another when the node runs again: answers are given out by the order of the questions."""

import ast
import inspect
from typing import Annotated, Any, get_args, get_origin

from stationmaster.checking.reading import functions
from stationmaster.checking.reading.knowing import dotted, effect_of
from stationmaster.checking.reading.resolving import Scope, scope_of
from stationmaster.checking.reading.standing import Instance, Live, hints_of

UNORDERED = frozenset({"set", "frozenset"})
CHANGING = (
    "os.listdir",
    "os.scandir",
    "glob.",
    "random.",
    "asyncio.tasks.as_completed",
    "concurrent.futures",
)
SORTING = frozenset({"sorted", "range"})
PASSING_ON = frozenset({"list", "tuple", "enumerate", "reversed", "zip", "iter", "filter", "map"})


def unstable(over: ast.AST, scope: Scope, depth: int = 4) -> str | None:
    """Why what is looped over may come in another order next time; None where it won't, or it can't be told."""
    if depth == 0:
        return None
    match over:
        case ast.Set() | ast.SetComp():
            return "a set has no order"
        case ast.Call():
            return _called(over, scope, depth)
        case ast.Await(value=value):
            return unstable(value, scope, depth)
        case ast.Name(id=name):
            given = scope.assigned.get(name, [])
            if any(_shuffles(node, name, scope) for node in scope.nodes):
                return "`random.shuffle` gives another order each time"
            if len(given) == 1 and isinstance(given[0], ast.expr):
                return unstable(given[0], scope, depth - 1)
        case ast.ListComp() | ast.GeneratorExp() | ast.DictComp():
            return unstable(over.generators[0].iter, scope, depth - 1)
        case ast.BinOp(left=left, right=right):
            return unstable(left, scope, depth - 1) or unstable(right, scope, depth - 1)
    return _kind(over, scope)


def _shuffles(node: ast.AST, name: str, scope: Scope) -> bool:
    match node:
        case ast.Call(args=[ast.Name(id=given), *_]) if given == name and ast.unparse(node.func).endswith(
            "shuffle"
        ):
            return dotted(scope.resolve(node.func)).startswith("random.")
    return False


def _called(node: ast.Call, scope: Scope, depth: int) -> str | None:
    called = scope.resolve(node.func)
    name = dotted(called)
    short = name.removeprefix("builtins.")
    if short in SORTING:
        return None
    if short in UNORDERED:
        return "a set has no order"
    if name.startswith(CHANGING):
        return f"`{ast.unparse(node.func)}` gives another order, or other things, each time"
    if short in PASSING_ON:
        return next((why for each in node.args if (why := unstable(each, scope, depth - 1))), None)
    effect = effect_of(node, called, scope)
    if effect is not None:
        return f"`{effect.what}` is asked again when the node runs again, and may answer otherwise"
    if isinstance(node.func, ast.Attribute) and node.func.attr in ("union", "intersection", "difference"):
        return "a set has no order"
    if isinstance(called, Live) and (function := functions.of(called.thing)) is not None:
        there = scope_of(function)
        given = [
            each.value
            for each in (*function.body, *there.nodes)
            if isinstance(each, ast.Return) and each.value
        ]
        return next((why for each in given if (why := unstable(each, there, depth - 1))), None)
    inner = unstable(node.func.value, scope, depth - 1) if isinstance(node.func, ast.Attribute) else None
    return inner or _kind(node, scope)


def _kind(node: ast.AST, scope: Scope) -> str | None:
    """By the type: a live set, or a key of the state that is declared as one."""
    stands = scope.resolve(node)
    if isinstance(stands, Live) and isinstance(stands.thing, set | frozenset):
        return "a set has no order"
    if isinstance(stands, Instance) and issubclass(stands.kind, set | frozenset):
        return "a set has no order"
    key = key_read(node, scope)
    if key and _is_set(key[1]):
        return f"`{key[0]}` is a set, which has no order, and another in each process"
    return None


def key_read(node: ast.AST, scope: Scope) -> tuple[str, Any] | None:
    """`state["key"]`, `state.get("key")` or `state.key` of a parameter with a schema: the key, and its type."""
    match node:
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str() as key)):
            pass
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="get"),
            args=[ast.Constant(value=str() as key), *_],
        ):
            pass
        case ast.Attribute(value=ast.Name(id=name), attr=key):
            pass
        case _:
            return None
    schema = scope.hints.get(name)
    if name not in scope.function.parameters or not inspect.isclass(schema):
        return None
    hints = hints_of(schema)
    return (key, hints[key]) if key in hints else None


def _is_set(hint: Any) -> bool:
    while get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if hint in (set, frozenset) or get_origin(hint) in (set, frozenset):
        return True
    return any(_is_set(each) for each in get_args(hint) if get_origin(hint) is not list)

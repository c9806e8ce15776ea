"""Handlers that would swallow a pause: `interrupt()` raises an Exception, which has to leave the node."""

import ast
import contextlib
import inspect
from collections.abc import Iterator
from typing import Any

from langgraph.errors import GraphBubbleUp, GraphInterrupt

from stationmaster.checking.reading import functions
from stationmaster.checking.reading.resolving import Scope, scope_of, walk_own
from stationmaster.checking.reading.standing import Live


def swallowing(node: ast.Try | ast.TryStar, scope: Scope) -> ast.ExceptHandler | None:
    """The handler that gets a pause, if it gives none on. One that may raise it again is taken to do so."""
    for handler in node.handlers:
        if not _gets(handler.type, scope):
            continue
        if any(_raises_again(statement, handler.name) for statement in ast.walk(handler)):
            return None
        return handler if _is_broad(handler.type, scope) else None
    return None


def caught(handler: ast.ExceptHandler) -> str:
    """What a handler says it catches."""
    return ast.unparse(handler.type) if handler.type is not None else "(everything)"


def manager(expression: ast.expr, scope: Scope) -> str | None:
    """The name of a context manager that would swallow a pause: `suppress(Exception)`, or one of the project's own."""
    if not isinstance(expression, ast.Call):
        return None
    called = scope.resolve(expression.func)
    if not isinstance(called, Live):
        return None
    if called.thing is contextlib.suppress:
        return ast.unparse(expression) if any(_gets(each, scope) for each in expression.args) else None
    written = getattr(called.thing, "__wrapped__", None)
    function = functions.of(written) if inspect.isfunction(written) else None
    if function is None:
        return None
    inner = scope_of(function)
    for node in walk_own(function):
        yields = isinstance(node, ast.Try) and any(isinstance(each, ast.Yield) for each in _inside(node.body))
        if isinstance(node, ast.Try) and yields and swallowing(node, inner) is not None:
            return f"`{ast.unparse(expression.func)}`"
    return None


def _inside(body: list[ast.stmt]) -> Iterator[ast.AST]:
    for statement in body:
        yield from ast.walk(statement)


def _gets(kind: ast.expr | None, scope: Scope) -> bool:
    """Whether a handler of this type gets a GraphInterrupt."""
    return kind is None or any(issubclass(GraphInterrupt, each) for each in _classes(kind, scope))


def _is_broad(kind: ast.expr | None, scope: Scope) -> bool:
    """Whoever names the interrupt itself knows what they do."""
    return kind is None or any(
        not issubclass(each, GraphBubbleUp)
        for each in _classes(kind, scope)
        if issubclass(GraphInterrupt, each)
    )


def _classes(kind: ast.expr, scope: Scope) -> list[type[Any]]:
    parts = kind.elts if isinstance(kind, ast.Tuple) else [kind]
    found: list[type[Any]] = []
    for part in parts:
        stands = scope.resolve(part)
        thing = stands.thing if isinstance(stands, Live) else None
        found += [each for each in (thing if isinstance(thing, tuple) else (thing,)) if inspect.isclass(each)]
    return found


def _raises_again(node: ast.AST, name: str | None) -> bool:
    if not isinstance(node, ast.Raise):
        return False
    return node.exc is None or (isinstance(node.exc, ast.Name) and node.exc.id == name)

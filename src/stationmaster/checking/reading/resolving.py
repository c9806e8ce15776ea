"""What an expression in a function stands for, as far as it can be known without running it."""

import ast
import builtins
import functools
import inspect
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from types import FunctionType, MethodType
from typing import Any

from psycopg.sql import SQL

from stationmaster.checking.reading import functions
from stationmaster.checking.reading.assigning import named
from stationmaster.checking.reading.functions import Function
from stationmaster.checking.reading.standing import (
    SIMPLE,
    Inner,
    Instance,
    Live,
    Method,
    Stands,
    attribute,
    hints_of,
    module_of,
    returned,
)

DEPTH = 8


_SCOPES: "dict[tuple[Any, ...], Scope]" = {}


def scope_of(function: Function) -> "Scope":
    """The scope of a function, made once. It keeps the function, so that its key stays its own."""
    if function.key not in _SCOPES:
        _SCOPES[function.key] = Scope(function)
    return _SCOPES[function.key]


class Scope:
    """The names of one function."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self._known: dict[int, tuple[ast.AST, Stands | None]] = {}

    @cached_property
    def nodes(self) -> tuple[ast.AST, ...]:
        """The nodes of its body, those of functions and classes defined in it left out."""
        return tuple(_own(self.function))

    @cached_property
    def assigned(self) -> dict[str, list[ast.AST]]:
        """The values that each local name is given; a loop's target is given the whole `for`, a `with` its item."""
        found: dict[str, list[ast.AST]] = {}
        for node in self.nodes:
            for name, value in named(node):
                found.setdefault(name, []).append(value)
        return found

    @cached_property
    def hints(self) -> Mapping[str, Any]:
        return hints_of(self.function.live) if self.function.outer is None else {}

    def resolve(self, node: ast.AST, depth: int = DEPTH) -> Stands | None:
        """What the expression stands for; None where it can't be told."""
        if depth == 0:
            return None
        if depth < DEPTH:
            return self._resolve(node, depth)
        if id(node) not in self._known:
            self._known[id(node)] = (node, self._resolve(node, depth))
        return self._known[id(node)][1]

    def _resolve(self, node: ast.AST, depth: int) -> Stands | None:
        match node:
            case ast.Constant(value=value):
                return Live(value)
            case ast.Await(value=value) | ast.NamedExpr(value=value):
                return self.resolve(value, depth)
            case ast.Name(id=name):
                return self._name(name, depth)
            case ast.Attribute(value=value, attr=attr):
                return attribute(self.resolve(value, depth - 1), attr)
            case ast.Subscript(value=value, slice=key):
                return self._item(value, key, depth)
            case ast.Call():
                return self._called(node, depth)
            case ast.Lambda():
                return self._inner(node)
        return None

    def _inner(self, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda) -> Inner:
        own = self.function
        return Inner(Function(own.live, own.bound, node, own.file, own))

    def _name(self, name: str, depth: int) -> Stands | None:
        given = self.assigned.get(name, [])
        if name in self.function.parameters or (self.function.bound is not None and self._is_self(name)):
            return self._parameter(name) if not given else None
        if given:
            return self._given(name, given[0], depth) if len(given) == 1 else None
        if self.function.outer is not None:
            return scope_of(self.function.outer).resolve(ast.Name(name), depth - 1)
        return self._free(name)

    def _parameter(self, name: str) -> Stands | None:
        if self.function.bound is not None and self._is_self(name):
            return Live(self.function.bound)
        for given, stands in self.function.given:
            if given == name:
                return stands
        hint = self.hints.get(name)
        return Instance(hint) if inspect.isclass(hint) and hint not in SIMPLE else None

    def _is_self(self, name: str) -> bool:
        given = self.function.node.args
        first = [*given.posonlyargs, *given.args]
        return bool(first) and first[0].arg == name

    def _given(self, name: str, value: ast.AST, depth: int) -> Stands | None:
        match value:
            case ast.FunctionDef() | ast.AsyncFunctionDef():
                return self._inner(value)
            case ast.withitem(context_expr=expression):
                return self.resolve(expression, depth - 1)
            case ast.Import() | ast.ImportFrom():
                return self._imported(name, value)
            case ast.expr():
                return self.resolve(value, depth - 1)
        return None

    def _free(self, name: str) -> Stands | None:
        live: FunctionType = self.function.live
        closure = live.__closure__ or ()
        for free, cell in zip(live.__code__.co_freevars, closure, strict=False):
            if free == name:
                try:
                    return Live(cell.cell_contents)
                except ValueError:
                    return None
        if name in live.__globals__:
            return Live(live.__globals__[name])
        return Live(getattr(builtins, name)) if hasattr(builtins, name) else None

    def _imported(self, name: str, node: ast.Import | ast.ImportFrom) -> Stands | None:
        for alias in node.names:
            if isinstance(node, ast.Import) and name == (alias.asname or alias.name.partition(".")[0]):
                return module_of(alias.name if alias.asname else name)
            if isinstance(node, ast.ImportFrom) and name == (alias.asname or alias.name):
                return attribute(module_of(node.module or ""), alias.name)
        return None

    def _item(self, value: ast.AST, key: ast.AST, depth: int) -> Stands | None:
        """An item of a live mapping (named queries are such), by a key that is known."""
        holder, at = self.resolve(value, depth - 1), self.resolve(key, depth - 1)
        if not (isinstance(holder, Live) and isinstance(at, Live) and isinstance(at.thing, str | int)):
            return None
        held: Any = holder.thing
        try:
            return Live(held[at.thing]) if isinstance(holder.thing, Mapping | list | tuple) else None
        except (KeyError, IndexError, TypeError):
            return None

    def _called(self, node: ast.Call, depth: int) -> Stands | None:
        """What a call returns: an object of the class, or what the function's annotation says."""
        match self.resolve(node.func, depth - 1):
            case Live(thing=functools.partial) if node.args:
                return self.resolve(node.args[0], depth - 1)
            case Live(thing=thing) if thing is super:
                return self._super()
            case Live(thing=thing) if inspect.isclass(thing):
                return Instance(thing)
            case Live(thing=thing):
                return returned(functions.plain(thing)[0])
            case Method(kind=kind, name=name):
                return returned(functions.plain(inspect.getattr_static(kind, name, None))[0])
        return None

    def _super(self) -> Stands | None:
        cell = self._free("__class__")
        if isinstance(cell, Live) and self.function.bound is not None:
            return Live(super(cell.thing, self.function.bound))
        return None


def handed(call: ast.Call, callee: Function, scope: Scope) -> Function:
    """The function as it is called here: with what it is given that says what it does."""
    named = [(name, value) for name, value in zip(callee.parameters, call.args, strict=False)]
    named += [(word.arg, word.value) for word in call.keywords if word.arg]
    given = [
        (name, stands)
        for name, value in named
        if isinstance(stands := scope.resolve(value), Live | Inner) and _tells(stands)
    ]
    return replace(callee, given=tuple(given)) if given else callee


def _tells(stands: Live | Inner) -> bool:
    return isinstance(stands, Inner) or isinstance(stands.thing, FunctionType | MethodType | SQL | str)


def walk_own(function: Function) -> tuple[ast.AST, ...]:
    """The nodes of a function's body, those of functions and classes defined in it left out."""
    return scope_of(function).nodes


def _own(function: Function) -> Iterator[ast.AST]:
    queue: list[ast.AST] = list(reversed(function.body))
    while queue:
        node = queue.pop()
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            queue.extend(reversed(list(ast.iter_child_nodes(node))))

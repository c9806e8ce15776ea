"""What an expression in a function stands for, as far as it can be known without running it."""

import ast
import builtins
import inspect
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from types import FunctionType, MethodType, ModuleType
from typing import Any, get_type_hints

from psycopg.sql import SQL

from stationmaster.checking.reading import functions
from stationmaster.checking.reading.functions import Function

DEPTH = 8
SIMPLE = (str, int, float, bool, type(None), bytes)


@dataclass(frozen=True)
class Live:
    """The object itself."""

    thing: Any

    @property
    def key(self) -> Any:
        return id(self.thing)


@dataclass(frozen=True)
class Instance:
    """Some object of a class."""

    kind: type


@dataclass(frozen=True)
class Inner:
    """A function that is defined in the body of another."""

    function: Function

    @property
    def key(self) -> Any:
        return self.function.key


@dataclass(frozen=True)
class Method:
    """A method of some object of a class."""

    kind: type
    name: str


@dataclass(frozen=True)
class Named:
    """A dotted name of a module that is imported in the function and not loaded now."""

    name: str


Stands = Live | Instance | Inner | Method | Named
_SCOPES: "dict[tuple[Any, ...], Scope]" = {}
_HINTS: dict[int, tuple[Any, Mapping[str, Any]]] = {}  # with the thing, whose id is then nobody else's


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
            for name, value in _given(node):
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
        return None

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
                own = self.function
                return Inner(Function(own.live, own.bound, value, own.file, own))
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
                return _module(alias.name if alias.asname else name)
            if isinstance(node, ast.ImportFrom) and name == (alias.asname or alias.name):
                return attribute(_module(node.module or ""), alias.name)
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
            case Live(thing=thing) if thing is super:
                return self._super()
            case Live(thing=thing) if inspect.isclass(thing):
                return Instance(thing)
            case Live(thing=thing):
                return _returned(functions.plain(thing)[0])
            case Method(kind=kind, name=name):
                return _returned(functions.plain(inspect.getattr_static(kind, name, None))[0])
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


def attribute(holder: Stands | None, name: str) -> Stands | None:
    """An attribute, without running any code of the object's."""
    match holder:
        case Named(name=module):
            return Named(f"{module}.{name}")
        case Instance(kind=kind):
            return Method(kind, name)
        case Live(thing=ModuleType() as module):
            if name in vars(module):
                return Live(vars(module)[name])
            inner = sys.modules.get(f"{module.__name__}.{name}")
            return Live(inner) if inner else Named(f"{module.__name__}.{name}")
        case Live(thing=super() as above):
            return Live(getattr(above, name)) if hasattr(above, name) else None
        case Live(thing=thing):
            return _static(thing, name)
    return None


def _static(thing: Any, name: str) -> Stands | None:
    found = inspect.getattr_static(thing, name, None)
    if isinstance(found, FunctionType) and not inspect.isclass(thing):
        return Live(found.__get__(thing))
    if isinstance(found, staticmethod | classmethod):
        return Live(found.__get__(None, thing if inspect.isclass(thing) else type(thing)))
    if found is None or isinstance(found, property) or hasattr(type(found), "__get__"):
        return Method(thing if inspect.isclass(thing) else type(thing), name)
    return Live(found)


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


def hints_of(thing: Any) -> Mapping[str, Any]:
    """The type hints; none where they name what isn't there."""
    if id(thing) not in _HINTS:
        try:
            _HINTS[id(thing)] = (thing, get_type_hints(thing))
        except Exception:  # noqa: BLE001 - annotations of anybody's code, evaluated
            _HINTS[id(thing)] = (thing, {})
    return _HINTS[id(thing)][1]


def _returned(live: FunctionType | None) -> Stands | None:
    hint = hints_of(live).get("return") if live is not None else None
    return Instance(hint) if inspect.isclass(hint) and hint not in SIMPLE else None


def _module(name: str) -> Stands:
    found = sys.modules.get(name)
    return Live(found) if found is not None else Named(name)


def _given(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """The names that a statement gives a value, and what it gives them."""
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield from _targets(target, value)
        case (
            ast.AnnAssign(target=target, value=ast.expr() as value)
            | ast.NamedExpr(target=target, value=value)
        ):
            yield from _targets(target, value)
        case ast.For(target=target) | ast.AsyncFor(target=target) | ast.comprehension(target=target):
            yield from ((name, node) for name in _names(target))
        case ast.withitem(optional_vars=ast.expr() as target):
            yield from ((name, node) for name in _names(target))
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
            yield name, node
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            for alias in names:
                whole = isinstance(node, ast.ImportFrom) or alias.asname
                yield (alias.asname or alias.name) if whole else alias.name.partition(".")[0], node


def _targets(target: ast.AST, value: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """`a, b = x, y` gives each its own; any other unpacking gives a name what can't be told."""
    if isinstance(target, ast.Name):
        yield target.id, value
    elif isinstance(target, ast.Tuple | ast.List):
        values = value.elts if isinstance(value, ast.Tuple | ast.List) else []
        for index, inner in enumerate(target.elts):
            yield from _targets(inner, values[index] if len(values) == len(target.elts) else ast.Pass())


def _names(target: ast.AST) -> list[str]:
    return [node.id for node in ast.walk(target) if isinstance(node, ast.Name)]

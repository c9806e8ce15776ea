"""The keys of the state that a node writes: by what its function returns, functions that it calls included."""

import ast
import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from langgraph.types import Command, Overwrite
from pydantic import BaseModel

from stationmaster.checking.finding import Place
from stationmaster.checking.reading import functions
from stationmaster.checking.reading.files import is_ours
from stationmaster.checking.reading.functions import Function
from stationmaster.checking.reading.resolving import Scope, scope_of, walk_own
from stationmaster.checking.reading.standing import Inner, Instance, Live, Method

DEPTH = 8


@dataclass(frozen=True)
class Written:
    """`keys` may be written, at these places; `certain` are, whatever way it takes; `overwrites` go past a reducer.

    `unknown`: where more may be written than could be read.
    """

    keys: Mapping[str, Place] = field(default_factory=dict)
    certain: frozenset[str] = frozenset()
    overwrites: frozenset[str] = frozenset()
    unknown: tuple[Place, ...] = ()


def of_node(found: Iterable[Function], roots: tuple[Path, ...], state: Any) -> Written:
    """What all functions of a node write (a tool node has several); `state` is the schema of its first parameter."""
    each = [_Reader(roots, state).function(function, top=True) for function in found]
    return _either(each) if each else Written()


class _Reader:
    def __init__(self, roots: tuple[Path, ...], state: Any) -> None:
        self.roots, self.state = roots, state
        self.open: set[tuple[int, int, int]] = set()

    def function(self, function: Function, *, top: bool = False) -> Written:
        if function.key in self.open or not is_ours(function.file.path, self.roots):
            return Written() if function.key in self.open else Written(unknown=(function.place,))
        self.open.add(function.key)
        scope = scope_of(function)
        returns = [node for node in (*function.body, *walk_own(function)) if isinstance(node, ast.Return)]
        found = [
            self.value(node.value, scope, DEPTH, top)
            for node in dict.fromkeys(returns)
            if node.value is not None
        ]
        if _may_fall_through(function) or any(node.value is None for node in returns):
            found.append(Written())
        self.open.discard(function.key)
        return _either(found) if found else Written()

    def value(self, node: ast.AST, scope: Scope, depth: int, top: bool = False) -> Written:
        """The keys of what an expression makes: a dict, a Command, an object of the schema."""
        if depth == 0:
            return Written(unknown=(scope.function.at(node),))
        match node:
            case ast.Await(value=value):
                return self.value(value, scope, depth, top)
            case ast.Dict(keys=keys, values=values):
                pairs = zip(keys, values, strict=True)
                return _both([self._entry(key, value, scope, depth, top) for key, value in pairs])
            case ast.IfExp() | ast.BoolOp():
                ways = [node.body, node.orelse] if isinstance(node, ast.IfExp) else node.values
                return _either([self.value(each, scope, depth, top) for each in ways])
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return _both([self.value(left, scope, depth, top), self.value(right, scope, depth, top)])
            case ast.List(elts=parts) | ast.Tuple(elts=parts):  # a list of updates
                return _both([self.value(each, scope, depth, top) for each in parts])
            case ast.DictComp(key=key):
                return self._entry(key, node.value, scope, depth, top)
            case ast.Call():
                return self._called(node, scope, depth, top)
            case ast.Name(id=name):
                return self._name(name, node, scope, depth, top)
        return self._live(node, scope)

    def _entry(self, key: ast.expr | None, value: ast.expr, scope: Scope, depth: int, top: bool) -> Written:
        if key is None:  # **spread
            return self.value(value, scope, depth, top)
        stands = scope.resolve(key)
        if not (isinstance(stands, Live) and isinstance(stands.thing, str)):
            return Written(unknown=(scope.function.at(key),))
        place, name = scope.function.at(key), stands.thing
        over = frozenset({name}) if _is_overwrite(value, scope) else frozenset[str]()
        return Written({name: place}, frozenset({name}), over)

    def _called(self, node: ast.Call, scope: Scope, depth: int, top: bool) -> Written:
        called = scope.resolve(node.func)
        thing = called.thing if isinstance(called, Live) else None
        if thing is Command:
            update = next((each.value for each in node.keywords if each.arg == "update"), None)
            return self.value(update, scope, depth - 1, top) if update is not None else Written()
        if thing is dict or (inspect.isclass(thing) and _is_schema(thing)):
            parts = [self._keyword(each, scope, depth, top) for each in node.keywords]
            return _both([*parts, *(self.value(each, scope, depth - 1, top) for each in node.args)])
        inner = self._followed(called)
        if inner is not None:
            return self.function(inner)
        return self._live(node, scope)

    def _keyword(self, word: ast.keyword, scope: Scope, depth: int, top: bool) -> Written:
        if word.arg is None:
            return self.value(word.value, scope, depth - 1, top)
        place = scope.function.at(word.value)
        over = frozenset({word.arg}) if _is_overwrite(word.value, scope) else frozenset[str]()
        return Written({word.arg: place}, frozenset({word.arg}), over)

    def _name(self, name: str, node: ast.Name, scope: Scope, depth: int, top: bool) -> Written:
        if name in scope.assigned:
            values = [
                self.value(each, scope, depth - 1, top)
                if isinstance(each, ast.expr)
                else Written(unknown=(scope.function.at(node),))
                for each in scope.assigned[name]
            ]
            return _with_later(_either(values), self._later(name, scope, depth, top))
        if top and scope.function.parameters[:1] == [name]:  # the state itself: all of it is written again
            place, keys = scope.function.at(node), keys_of(self.state)
            return Written(dict.fromkeys(keys, place)) if keys else Written(unknown=(place,))
        return self._live(node, scope)

    def _later(self, name: str, scope: Scope, depth: int, top: bool) -> list[Written]:
        """`update["key"] = ...`, `update |= {...}`, `update.update(...)`: may be written."""
        found: list[Written] = []
        for node in walk_own(scope.function):
            match node:
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=holder), slice=key)], value=value):
                    if holder == name:
                        found.append(self._entry(key, value, scope, depth, top))
                case ast.AugAssign(target=ast.Name(id=holder), op=ast.BitOr(), value=value) if holder == name:
                    found.append(self.value(value, scope, depth - 1, top))
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=holder), attr="setdefault"), args=[key, value]
                ) if holder == name:
                    found.append(self._entry(key, value, scope, depth, top))
                case ast.Call(func=ast.Attribute(value=ast.Name(id=holder), attr="update")) if holder == name:
                    found += [self.value(each, scope, depth - 1, top) for each in node.args]
                    found += [self._keyword(each, scope, depth, top) for each in node.keywords]
        return found

    def _live(self, node: ast.AST, scope: Scope) -> Written:
        stands, place = scope.resolve(node), scope.function.at(node)
        if isinstance(stands, Live):
            if stands.thing is None:
                return Written()
            if isinstance(stands.thing, dict):
                keys = [key for key in stands.thing if isinstance(key, str)]
                return Written(dict.fromkeys(keys, place), frozenset(keys))
        return Written(unknown=(place,))

    def _followed(self, called: Any) -> Function | None:
        match called:
            case Inner(function=function):
                return function
            case Live(thing=thing) if not inspect.isclass(thing):
                return functions.ours(thing, self.roots)
            case Method(kind=kind, name=name):
                return functions.ours(inspect.getattr_static(kind, name, None), self.roots)
        return None


def keys_of(schema: Any) -> list[str]:
    """The keys of a state schema: of a TypedDict, a dataclass or a pydantic model."""
    if inspect.isclass(schema) and issubclass(schema, BaseModel):
        return list(schema.model_fields)
    found: dict[str, Any] = {}
    for each in reversed(getattr(schema, "__mro__", (schema,))):
        found |= getattr(each, "__annotations__", {})
    return list(found)


def _is_schema(kind: type) -> bool:
    return issubclass(kind, BaseModel | dict) or hasattr(kind, "__dataclass_fields__")


def _is_overwrite(node: ast.AST, scope: Scope) -> bool:
    stands = scope.resolve(node)
    return isinstance(stands, Instance) and stands.kind is Overwrite


def _may_fall_through(function: Function) -> bool:
    """Whether it may end without a return. Of `with` and `match` it is not known: a block may end early there."""
    last = function.body[-1]
    while isinstance(last, ast.If) and last.orelse:
        last = last.orelse[-1]
    return not isinstance(
        last, ast.Return | ast.Raise | ast.Match | ast.With | ast.AsyncWith | ast.Try | ast.While
    )


def _either(found: Iterable[Written]) -> Written:
    """One of several: what all of them write is certain."""
    there = list(found)
    keys: dict[str, Place] = {}
    for each in there:
        for key, place in each.keys.items():
            keys.setdefault(key, place)
    certain = frozenset.intersection(*(each.certain for each in there)) if there else frozenset[str]()
    over = frozenset[str]().union(*(each.overwrites for each in there))
    return Written(
        keys, certain, over, tuple(dict.fromkeys(place for each in there for place in each.unknown))
    )


def _both(found: Iterable[Written]) -> Written:
    """All of several, put together."""
    there = list(found)
    return replace(_either(there), certain=frozenset[str]().union(*(each.certain for each in there)))


def _with_later(first: Written, later: list[Written]) -> Written:
    return replace(_either([first, *later]), certain=first.certain)

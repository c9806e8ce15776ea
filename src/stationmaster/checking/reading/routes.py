"""Where a router leads, or a node by `Command(goto=...)`: which nodes one answer of it starts together."""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from langgraph.types import Command, Send

from stationmaster.checking.reading import functions
from stationmaster.checking.reading.files import is_ours
from stationmaster.checking.reading.functions import Function
from stationmaster.checking.reading.resolving import Scope, scope_of, walk_own
from stationmaster.checking.reading.standing import Inner, Live, hints_of

DEPTH = 6


@dataclass(frozen=True)
class Choice:
    """Nodes that one answer may name. `together`: several of them at once; `several`: one of them several times."""

    targets: frozenset[str]
    together: bool = False
    several: bool = False


@dataclass(frozen=True)
class Routes:
    """All answers. `unknown`: some could not be read, so that there may be others."""

    choices: frozenset[Choice]
    unknown: bool = False

    @property
    def targets(self) -> frozenset[str]:
        """All nodes that are named."""
        return frozenset().union(*(choice.targets for choice in self.choices))


def of_router(function: Function | None, ends: Mapping[Any, str] | None, roots: tuple[Path, ...]) -> Routes:
    """The answers of a router, by its source, then by its annotation; else each declared end alone, as unknown."""
    declared = frozenset(ends.values()) if ends is not None else frozenset[str]()
    alone = frozenset(Choice(frozenset({end})) for end in declared)
    if function is None or not is_ours(function.file.path, roots):
        return Routes(alone, unknown=function is None)
    found = _Reader(declared, roots).answers(function)
    names = ends or {}
    chosen = frozenset(_mapped(choice, names, declared) for choice in found.choices)
    return Routes(chosen | alone, found.unknown)


def of_commands(
    found: Iterable[Function], ends: Iterable[str] | None, roots: tuple[Path, ...], *, parent: bool = False
) -> Routes:
    """What a node itself names by `Command(goto=...)`: its functions, and those that they call. Of the `parent` alone
    those with `graph=Command.PARENT`, which a subgraph names in the graph around it.
    """
    declared = frozenset(ends or ())
    reader, routes = _Reader(declared, roots), list[Routes]()
    for each in found:
        scope = scope_of(each)
        for node in walk_own(each):
            goto = _goto(node, scope)
            if goto is not None and _is_of_parent(node) is parent:
                routes.append(reader.value(goto, scope, DEPTH))
    alone = [_one(end) for end in declared]
    return _all([*routes, *alone])


class _Reader:
    def __init__(self, declared: frozenset[str], roots: tuple[Path, ...]) -> None:
        self.declared, self.roots = declared, roots
        self.open: set[int] = set()

    def answers(self, function: Function) -> Routes:
        """Of all its returns."""
        if id(function.node) in self.open:
            return Routes(frozenset())
        self.open.add(id(function.node))
        scope, found = scope_of(function), list[Routes]()
        for node in [*function.body, *walk_own(function)]:
            if isinstance(node, ast.Return) and node.value is not None:
                found.append(self.value(node.value, scope, DEPTH))
        self.open.discard(id(function.node))
        return _all(found)

    def value(self, node: ast.AST, scope: Scope, depth: int) -> Routes:
        """What an expression may name."""
        if depth == 0:
            return self._hinted(scope)
        match node:
            case ast.Constant(value=name):
                return _one(name) if isinstance(name, str) else Routes(frozenset())
            case ast.IfExp(body=body, orelse=orelse):
                return _all([self.value(body, scope, depth), self.value(orelse, scope, depth)])
            case ast.BoolOp(values=values):
                return _all([self.value(each, scope, depth) for each in values])
            case ast.Await(value=value):
                return self.value(value, scope, depth)
            case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
                return self._listed(parts, scope, depth)
            case ast.ListComp(elt=elt) | ast.GeneratorExp(elt=elt) | ast.SetComp(elt=elt):
                return self._repeated(elt, scope, depth)
            case ast.Call():
                return self._called(node, scope, depth)
            case ast.Name(id=name) if name in scope.assigned:
                given = [self._given(each, scope, depth) for each in scope.assigned[name]]
                return self._filled(_all(given), name, scope, depth)
        return self._live(node, scope)

    def _filled(self, begun: Routes, name: str, scope: Scope, depth: int) -> Routes:
        """With what is put into a list later: any of it together."""
        later: list[Routes] = []
        for node in walk_own(scope.function):
            match node:
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=holder), attr="append" | "add"), args=[each]
                ):
                    later += [self.value(each, scope, depth - 1)] if holder == name else []
                case ast.Call(
                    func=ast.Attribute(value=ast.Name(id=holder), attr="extend" | "update"), args=[each]
                ):
                    later += [self.value(each, scope, depth - 1)] if holder == name else []
                case ast.AugAssign(target=ast.Name(id=holder), value=each):
                    later += [self.value(each, scope, depth - 1)] if holder == name else []
        if not later:
            return begun
        names = _all([begun, *later]).targets
        return Routes(
            frozenset({Choice(names, together=len(names) > 1)}), any(each.unknown for each in later)
        )

    def _given(self, value: ast.AST, scope: Scope, depth: int) -> Routes:
        return self.value(value, scope, depth - 1) if isinstance(value, ast.expr) else self._hinted(scope)

    def _live(self, node: ast.AST, scope: Scope) -> Routes:
        stands = scope.resolve(node)
        if isinstance(stands, Live) and isinstance(stands.thing, str):
            return _one(stands.thing)
        if isinstance(stands, Live) and isinstance(stands.thing, list | tuple | set | frozenset):
            names = frozenset(each for each in stands.thing if isinstance(each, str))
            return Routes(frozenset({Choice(names, together=True)}))
        return self._hinted(scope)

    def _listed(self, parts: list[ast.expr], scope: Scope, depth: int) -> Routes:
        inner = [self.value(each, scope, depth - 1) for each in parts]
        names = frozenset(name for each in inner for choice in each.choices for name in choice.targets)
        several = any(choice.several for each in inner for choice in each.choices) or len(names) < len(parts)
        unknown = any(each.unknown for each in inner)
        return Routes(frozenset({Choice(names, together=len(names) > 1, several=several)}), unknown)

    def _repeated(self, elt: ast.expr, scope: Scope, depth: int) -> Routes:
        """Each of a list: of one `Send`, the same node several times."""
        inner = self.value(elt, scope, depth - 1)
        names = frozenset(name for choice in inner.choices for name in choice.targets)
        sends = _is_send(elt, scope)
        return Routes(
            frozenset({Choice(names, together=len(names) > 1, several=sends)}), inner.unknown and not names
        )

    def _called(self, node: ast.Call, scope: Scope, depth: int) -> Routes:
        called = scope.resolve(node.func)
        if isinstance(called, Live) and called.thing is Send:
            return self.value(node.args[0], scope, depth - 1) if node.args else self._hinted(scope)
        if isinstance(called, Live) and called.thing in (list, tuple, sorted) and len(node.args) == 1:
            return self.value(node.args[0], scope, depth - 1)
        if isinstance(called, Live) and called.thing is Command:
            goto = _goto(node, scope)
            return self.value(goto, scope, depth - 1) if goto is not None else Routes(frozenset())
        function = self.function(node, scope)
        return self.answers(function) if function is not None else self._hinted(scope)

    def function(self, node: ast.Call, scope: Scope) -> Function | None:
        """The function of the project that a call runs."""
        match scope.resolve(node.func):
            case Inner(function=function):
                return function
            case Live(thing=thing) if not isinstance(thing, type):
                return functions.ours(thing, self.roots)
        return None

    def _hinted(self, scope: Scope) -> Routes:
        """By the annotation of the function; a list of names may hold any of them."""
        hint = hints_of(scope.function.live).get("return")
        lists, single = set[str](), set[str]()
        for each in _alternatives(hint):
            names = {value for value in _literals(each) if isinstance(value, str)}
            (lists if get_origin(each) in (list, tuple, set) else single).update(names)
        found = {Choice(frozenset({name})) for name in single}
        if lists:
            found.add(Choice(frozenset(lists), together=True))
        return Routes(frozenset(found), unknown=not (lists or single))


def _goto(node: ast.AST, scope: Scope) -> ast.expr | None:
    if not isinstance(node, ast.Call):
        return None
    found = next((each.value for each in node.keywords if each.arg == "goto"), None)
    if found is None:
        return None
    called = scope.resolve(node.func)
    return found if isinstance(called, Live) and called.thing is Command else None


def _is_of_parent(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and any(each.arg == "graph" for each in node.keywords)


def _mapped(choice: Choice, names: Mapping[Any, str], declared: frozenset[str]) -> Choice:
    targets = frozenset(names.get(name, name) for name in choice.targets)
    return Choice(
        targets & declared if declared and targets & declared else targets, choice.together, choice.several
    )


def _one(name: str) -> Routes:
    return Routes(frozenset({Choice(frozenset({name}))}))


def _all(routes: list[Routes]) -> Routes:
    return Routes(frozenset().union(*(each.choices for each in routes)), any(each.unknown for each in routes))


def _is_send(node: ast.expr, scope: Scope) -> bool:
    called = scope.resolve(node.func) if isinstance(node, ast.Call) else None
    return isinstance(called, Live) and called.thing is Send


def _alternatives(hint: Any) -> Iterator[Any]:
    if get_origin(hint) in (Union, UnionType):
        for each in get_args(hint):
            yield from _alternatives(each)
    elif get_origin(hint) is Annotated:
        yield from _alternatives(get_args(hint)[0])
    elif hint is not None:
        yield hint


def _literals(hint: Any) -> Iterator[Any]:
    if get_origin(hint) is Literal:
        yield from get_args(hint)
    elif get_origin(hint) is not None:
        for each in get_args(hint):
            yield from _literals(each)

"""A callable of a graph as its source: what LangGraph and functools wrapped around it is taken off."""

import ast
import functools
import inspect
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import CodeType, FunctionType, MethodType
from typing import Any

from langchain_core.runnables import RunnableSequence

from stationmaster.checking.finding import Place
from stationmaster.checking.reading import files
from stationmaster.checking.reading.files import Definition, SourceFile


@dataclass(frozen=True, eq=False)
class Function:
    """A function with its source. `outer` is the function in whose body it is defined, where it isn't live itself;
    `given` is what a caller hands over that has to be known: functions, and statements of SQL.
    """

    live: Any  # a FunctionType, which a type checker would take for a descriptor
    bound: Any
    node: Definition
    file: SourceFile
    outer: "Function | None" = field(default=None, repr=False)
    given: tuple[tuple[str, Any], ...] = ()

    @property
    def name(self) -> str:
        return getattr(self.node, "name", "a lambda")

    @cached_property
    def key(self) -> tuple[Any, ...]:
        given = tuple((name, each.key) for name, each in self.given)
        return id(self.node), id(self.bound), id(self.live), given, self.outer.key if self.outer else None

    @cached_property
    def body(self) -> list[ast.stmt]:
        if isinstance(self.node, ast.Lambda):
            return [ast.copy_location(ast.Return(self.node.body), self.node.body)]
        return self.node.body

    @property
    def parameters(self) -> list[str]:
        given = self.node.args
        names = [each.arg for each in (*given.posonlyargs, *given.args)]
        return names[1:] if self.bound is not None and names else names

    @property
    def place(self) -> Place:
        return self.at(self.node)

    def at(self, node: ast.AST) -> Place:
        """Where a part of it stands. Of a definition, its first line alone."""
        line = getattr(node, "lineno", getattr(self.node, "lineno", 1))
        last = line if isinstance(node, Definition) else getattr(node, "end_lineno", line) or line
        return Place(self.file.path, line, last)


def of(thing: Any) -> Function | None:
    """The function behind a callable; None where it has no source here (built in, generated, typed into a prompt)."""
    live, bound = plain(thing)
    if live is None:
        return None
    key = (id(live), id(bound))
    if key not in _FOUND:
        _FOUND[key] = (live, bound, _found(live, bound))
    return _FOUND[key][2]


def ours(thing: Any, roots: tuple[Path, ...]) -> Function | None:
    """The function behind a callable, if it is the project's own. Files of others are not read for it."""
    live, _ = plain(thing)
    if live is None:
        return None
    while not files.is_ours(Path(live.__code__.co_filename), roots):
        live = getattr(live, "__wrapped__", None)
        if not isinstance(live, FunctionType):
            return None
    return of(thing)


def _found(live: FunctionType, bound: Any) -> Function | None:
    file = files.read(Path(live.__code__.co_filename))
    node = _definition(live.__code__, file) if file is not None else None
    if file is None or node is None:
        inner = getattr(live, "__wrapped__", None)
        return of(inner) if inner is not None else None
    return Function(live, bound, node, file)


# With what was looked at, whose ids are then nobody else's.
_FOUND: dict[tuple[int, int], tuple[FunctionType, Any, Function | None]] = {}


def plain(thing: Any) -> tuple[FunctionType | None, Any]:
    """The Python function in a callable, and what it is bound to."""
    for _ in range(20):
        if isinstance(thing, functools.partial):
            # LangGraph's own: a plain function that async code runs in a thread
            in_thread = getattr(thing.func, "__name__", "") == "run_in_executor" and len(thing.args) > 1
            thing = list(thing.args)[1] if in_thread else thing.func
        elif isinstance(thing, MethodType):
            func = thing.__func__
            return (func, thing.__self__) if isinstance(func, FunctionType) else (None, None)
        elif isinstance(thing, FunctionType):
            return thing, None
        elif inspect.isclass(thing):
            return None, None
        else:
            own = _own(thing)
            if own is thing:
                return None, None
            thing = own
    return None, None


def _own(thing: Any) -> Any:
    """What an object calls when it is called or invoked."""
    for name in ("afunc", "func", "coroutine"):
        if callable(found := inspect.getattr_static(thing, name, None)) and not inspect.isroutine(
            inspect.getattr_static(type(thing), name, None)
        ):
            return found
    call = inspect.getattr_static(type(thing), "__call__", None)
    return MethodType(call, thing) if isinstance(call, FunctionType) else thing


def all_of(runnable: Any) -> Iterator[Function]:
    """The functions that a node or a router runs: one, or each step of a sequence, or each tool of a tool node."""
    if isinstance(runnable, RunnableSequence):
        for step in runnable.steps:
            yield from all_of(step)
    elif isinstance(tools := getattr(runnable, "tools_by_name", None), dict):
        for tool in tools.values():
            yield from all_of(tool)
    elif (found := of(runnable)) is not None:
        yield found


def _definition(code: CodeType, file: SourceFile) -> Definition | None:
    """The definition of a code object: by its first line and name, and of lambdas on one line by their columns."""
    there = file.definitions.get(code.co_firstlineno, [])
    named = [node for node in there if getattr(node, "name", "<lambda>") == code.co_name]
    if len(named) < 2:
        return named[0] if named else None
    columns = [place for place in code.co_positions() if place[2] is not None and place[0] is not None]
    for node in reversed(named):  # a lambda in a lambda stands behind it, and its code fits both
        body = node.body if isinstance(node, ast.Lambda) else node
        spans = [(row, column) for row, _, column, _ in columns if column]
        first, last = (body.lineno, body.col_offset), (body.end_lineno or 0, body.end_col_offset or 0)
        if spans and all(first <= span <= last for span in spans):
            return node
    return None

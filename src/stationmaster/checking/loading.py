"""Loads the graphs of a project as the Agent Server does: by module or by file, compiled, or made by a factory."""

import asyncio
import importlib
import importlib.util
import inspect
import sys
import traceback
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, get_args

from langgraph.graph import StateGraph
from langgraph.pregel import Pregel
from langgraph_sdk import runtime

from stationmaster.checking.finding import Place
from stationmaster.checking.reading import files
from stationmaster.checking.reading.files import is_ours
from stationmaster.server.stock import Project

JAVASCRIPT = (".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".tsx", ".jsx")


@dataclass(frozen=True)
class Loaded:
    """One graph of langgraph.json: the graph, or why there is none. `skipped`: it is none of ours to look at."""

    name: str
    graph: Pregel | None
    place: Place
    problem: str | None = None
    skipped: str | None = None


class NoGraph(Exception):
    """What langgraph.json names is no graph."""


def load(project: Project) -> list[Loaded]:
    """Every graph of the project; what it imports is importable from here on."""
    for path in reversed(project.import_paths):
        if path not in sys.path:
            sys.path.insert(0, path)
    return [_load(project, name, spec) for name, spec in project.config["graphs"].items()]


def _load(project: Project, name: str, spec: Any) -> Loaded:
    """Whatever the project's own code raises is told, with the line of that code."""
    where = spec.get("path") if isinstance(spec, Mapping) else spec
    declared = Place(project.path, _line_of(project.path, f'"{name}"'))
    source, _, variable = where.rpartition(":") if isinstance(where, str) else ("", "", "")
    if not isinstance(where, str) or not source or not variable:
        return Loaded(name, None, declared, f'{name} names no graph: write "package.module:graph"')
    if source.endswith(JAVASCRIPT):
        return Loaded(name, None, declared, skipped="it is JavaScript, which this does not read")
    try:
        module = _module(project.directory, source)
        value, variable = _variable(module, variable, where)
        place = _defined(module, variable, declared)
        return Loaded(name, asyncio.run(_graph(value)), place)
    except NoGraph as error:
        return Loaded(name, None, declared, str(error))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # noqa: BLE001 - anybody's module, SystemExit and all
        return Loaded(name, None, _raised_at(error, project) or declared, _told(error))


def _module(directory: Path, source: str) -> ModuleType:
    if not source.endswith(".py") and "/" not in source:
        return importlib.import_module(source)
    path = (directory / source).resolve()
    if not path.is_file():
        raise NoGraph(f"there is no file {source}: correct the path")
    name = source.replace("/", "__").replace(".py", "").replace(" ", "_").lstrip(".")  # the server's own way
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise NoGraph(f"{source} is no Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _variable(module: ModuleType, variable: str, where: str) -> tuple[Any, str]:
    if variable in vars(module):
        return vars(module)[variable], variable
    graphs = [name for name, value in vars(module).items() if isinstance(value, Pregel | StateGraph)]
    there = f"it has {', '.join(graphs)}" if graphs else "it has no graph"
    raise NoGraph(f"{where}: there is no {variable!r} in it; {there}")


async def _graph(value: Any) -> Pregel:
    """The graph itself. A factory is called as for reading: no configuration, and no store."""
    if callable(value) and not isinstance(value, Pregel | StateGraph):
        value = value(**_arguments(value))
        if isinstance(value, AbstractAsyncContextManager):
            async with value as entered:
                return _compiled(entered)
        if isinstance(value, AbstractContextManager):
            with value as entered:
                return _compiled(entered)
        if inspect.isawaitable(value):
            value = await value
    return _compiled(value)


def _compiled(value: Any) -> Pregel:
    value = value.compile() if isinstance(value, StateGraph) else value
    if not isinstance(value, Pregel):
        kind = "None" if value is None else f"of type {type(value).__name__}"
        raise NoGraph(f"it is {kind}, and neither a graph nor a function that makes one")
    return value


def _arguments(factory: Any) -> dict[str, Any]:
    """For a factory of none, one or two parameters: the configuration, and the server's runtime by its annotation."""
    given: dict[str, Any] = {}
    for name, parameter in inspect.signature(factory).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            continue
        about_runtime = "Runtime" in str(parameter.annotation)
        given[name] = _reading() if about_runtime else {"configurable": {}}
    return given


def _reading() -> Any:
    """The runtime that the server hands to factories when a graph is only looked at."""
    kinds = [getattr(each, "__origin__", each) for each in get_args(runtime.ServerRuntime.__value__)]
    reading = next(each for each in kinds if "Read" in each.__name__)
    return reading(access_context="assistants.read", user=None, store=None)


def _defined(module: ModuleType, variable: str, otherwise: Place) -> Place:
    """The line where the module gives the graph its name."""
    file = files.read(Path(module.__file__)) if module.__file__ else None
    for node in file.tree.body if file else []:
        if variable in files.named(node) and file:
            return Place(file.path, node.lineno, node.end_lineno or node.lineno)
    return Place(file.path, 1) if file else otherwise


def _raised_at(error: BaseException, project: Project) -> Place | None:
    """The innermost line of the project's own in a traceback."""
    if isinstance(error, SyntaxError) and error.filename:
        return Place(Path(error.filename), error.lineno or 1)
    roots = tuple(map(Path, project.import_paths))
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if is_ours(Path(frame.filename), roots) and frame.filename != __file__]
    return Place(Path(ours[-1].filename), ours[-1].lineno or 1) if ours else None


def _told(error: BaseException) -> str:
    said = str(error).strip().partition("\n")[0][:300]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return next((number for number, line in enumerate(lines, 1) if text in line), 1)

"""Audits graphs of tests/fakes/graphs/checked in this process."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from langgraph.pregel import Pregel

from stationmaster.checking.audit import Report, audit
from stationmaster.server.stock import Project

CHECKED = Path(__file__).parents[2] / "fakes" / "graphs" / "checked"
PACKAGE = "tests.fakes.graphs.checked"


def graphs_of(module: str) -> list[str]:
    """The names of a module's graphs."""
    found = vars(import_module(f"{PACKAGE}.{module}"))
    return [
        name
        for name, value in found.items()
        if isinstance(value, Pregel) and name.partition("_")[0] in ("bad", "good")
    ]


def audited(module: str, *names: str, retention_days: float = 30) -> Report:
    """The report on some graphs of a module, or on all of them."""
    graphs = {name: f"{PACKAGE}.{module}:{name}" for name in names or graphs_of(module)}
    return report_on(Project(CHECKED, {"graphs": graphs}), retention_days)


def report_on(project: Project, retention_days: float = 30) -> Report:
    """The report on a project, whose directory is on the path no longer afterwards."""
    with path_kept():
        return audit(project, retention_days)[0]


@contextmanager
def path_kept() -> Iterator[None]:
    """What is imported meanwhile from a project's directory is forgotten, too."""
    path, modules = list(sys.path), set(sys.modules)
    try:
        yield
    finally:
        sys.path[:] = path
        for name in set(sys.modules) - modules:
            if not name.startswith(("tests.", "stationmaster.", "agents.", "langgraph", "langchain")):
                file = getattr(sys.modules[name], "__file__", None) or ""
                if "site-packages" not in file and "/lib/python" not in file:
                    del sys.modules[name]

"""What the installed server asks of a runtime, read from its source: imports, and operations by their names."""

import ast
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

OPERATIONS = frozenset({"Assistants", "Threads", "Runs", "Crons"})
# The licensed edition talks to a core process, in modules of its own; one loads the in-memory routes.
NOT_ASKED = ("grpc", "runner")


def sources() -> Iterator[tuple[Path, ast.Module]]:
    """The server's modules that run under every edition."""
    spec = find_spec("langgraph_api")
    assert spec and spec.origin
    root = Path(spec.origin).parent
    for path in sorted(root.rglob("*.py")):
        if path.relative_to(root).parts[0] not in NOT_ASKED:
            yield path, ast.parse(path.read_text())


def imported() -> set[tuple[str, str]]:
    """(module, name) of every import from `langgraph_runtime.*`."""
    found = set()
    for _, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("langgraph_runtime"):
                module = (node.module or "").removeprefix("langgraph_runtime").removeprefix(".")
                found |= {(module, alias.name) for alias in node.names}
    return {(module, name) for module, name in found if not module.startswith("_")}


def operations() -> set[tuple[str, ...]]:
    """(class, ..., method) of every operation that is named in a call, `self._runs.get` included."""
    found = set()
    for _, tree in sources():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and (chain := _chain(node.func)):
                found.add(chain)
    return found


def _chain(node: ast.expr) -> tuple[str, ...] | None:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    parts = [node.id, *reversed(names)]
    if parts[0] == "self":
        parts = [
            part.removeprefix("_").capitalize() if part in {"_runs", "_threads"} else part
            for part in parts[1:]
        ]
    return tuple(parts) if len(parts) > 1 and parts[0] in OPERATIONS else None

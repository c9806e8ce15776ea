"""The runtime has every name that the installed server asks for; the first one missing fails here."""

import inspect
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import langgraph_runtime_community
from langgraph_runtime_community.version import SUPPORTED, mismatch
from tests.fakes.agent_server import ROOT, clean_environment
from tests.langgraph_runtime_community import asked


@pytest.mark.parametrize(("module", "name"), sorted(asked.imported()))
def test_every_name_that_the_server_imports_is_there(module: str, name: str) -> None:
    if not module:  # `from langgraph_runtime import lifespan`
        module, name = name, ""
    found = import_module(f"langgraph_runtime_community.{module}")
    assert not name or hasattr(found, name), f"langgraph_runtime.{module} lacks {name}"


@pytest.mark.parametrize("chain", sorted(asked.operations()), ids=".".join)
def test_every_operation_that_the_server_calls_is_there(chain: tuple[str, ...]) -> None:
    found = import_module("langgraph_runtime_community.ops")
    for name in chain:
        assert hasattr(found, name), f"{'.'.join(chain)}: no {name}"
        found = getattr(found, name)
    assert callable(found)


def test_what_is_read_from_the_servers_source_is_not_nothing() -> None:
    assert ("retry", "retry_db") in asked.imported()
    assert {("Runs", "put"), ("Runs", "Stream", "publish"), ("Threads", "State", "get")} <= asked.operations()


def test_the_parameters_are_those_of_the_in_memory_runtime() -> None:
    """Names only, as a caller by keyword sees them; ours may have more."""
    code = """
import inspect, json, sys
from langgraph_runtime_inmem import ops
found = {}
for group in (ops.Assistants, ops.Threads, ops.Runs, ops.Crons):
    for cls in (group, getattr(group, "State", None), getattr(group, "Stream", None)):
        for name, method in vars(cls or object).items():
            if isinstance(method, staticmethod) and not name.startswith("_"):
                found[f"{cls.__qualname__}.{name}"] = list(inspect.signature(method.__func__).parameters)
print(json.dumps(found))
"""
    env = clean_environment(
        {"LANGGRAPH_RUNTIME_EDITION": "inmem", "DATABASE_URI": ":memory:", "REDIS_URI": "fake"}
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60, check=True
    )
    theirs = json.loads(done.stdout.splitlines()[-1])
    ours = import_module("langgraph_runtime_community.ops")
    compared = 0
    for path, names in theirs.items():
        found: Any = ours
        for part in path.split("."):
            found = getattr(found, part, None)
        if found is None:
            continue  # the in-memory runtime's own, which the server does not call
        have = set(inspect.signature(found).parameters)
        missing = {name for name in names if not name.startswith("_")} - have - {"conn", "data", "message_id"}
        assert not missing, f"{path} lacks {missing}"
        compared += 1
    assert compared > 25


def test_another_minor_of_the_server_is_refused_with_the_way_out() -> None:
    assert mismatch(".".join(map(str, (*SUPPORTED, 99)))) is None
    reason = mismatch("0.17.0")
    assert reason and "langgraph-api" in reason and "STATIONMASTER_RUNTIME_EDITION=inmem" in reason


# What these write is told, and decides nothing.
TELL = {"hooks/sending.py", "hooks/signing.py", "hooks/payload.py", "lease.py"}


def test_one_clock_decides() -> None:
    """Processes whose clocks differ agree on what is due, alive, past its time: the database says what time it is."""
    root = Path(langgraph_runtime_community.__file__).parent
    reads = {
        path.relative_to(root).as_posix()
        for path in root.rglob("*.py")
        if re.search(r"datetime\.now|time\.time\(|utcnow", path.read_text())
    }
    assert reads == TELL


def test_what_is_said_to_prove_a_promise_is_there() -> None:
    """The table of docs/runtime.md names files, directories, and tests in files."""
    text = (ROOT / "docs" / "runtime.md").read_text()
    table = text.partition("## What proves it")[2].partition("\n## ")[0]
    named = re.findall(r"`((?:tests/|conformance/|test_)[^`]*)`", table)
    assert len(named) > 50
    for name in named:
        file, _, test = name.partition("::")
        path = (ROOT if file.startswith("tests/") else Path(__file__).parent) / file
        assert path.exists(), name
        assert not test or f"def {test}(" in path.read_text(), name

"""The image that `langgraph dockerfile` describes: its install lines run in a clean environment, its graphs import.

What is not run is the base image itself: its constraints file is stood in for by our own pins, and `--system`, which
means the image's Python, by the clean environment's.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.agent_server import ROOT, clean_environment

IMPORT_ALL = """
import importlib, json, os
specs = json.loads(os.environ["LANGSERVE_GRAPHS"])
paths = [spec["path"] if isinstance(spec, dict) else spec for spec in specs.values()]
paths.append(json.loads(os.environ["LANGGRAPH_AUTH"])["path"])
paths.append(json.loads(os.environ["LANGGRAPH_HTTP"])["app"])
for path in paths:
    module, _, name = path.partition(":")
    assert getattr(importlib.import_module(module), name) is not None, path
print("imported", len(paths))
"""


def run(command: list[str] | str, cwd: Path, **env: str) -> str:
    done = subprocess.run(
        command,
        cwd=cwd,
        env=clean_environment(env),
        shell=isinstance(command, str),
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def checkout(target: Path) -> Path:
    """What a build context holds: the files that git tracks, as they are now."""
    names = run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], ROOT).split("\0")
    for name in filter(None, names):
        if (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)
    return target


@pytest.mark.slow
def test_its_install_lines_give_an_environment_in_which_every_graph_imports(tmp_path: Path) -> None:
    context = checkout(tmp_path / "deps" / "main")
    cli = [sys.executable, "-m", "langgraph_cli"]
    run([*cli, "dockerfile", "-c", "langgraph.json", str(tmp_path / "Dockerfile")], context)
    dockerfile = (tmp_path / "Dockerfile").read_text()
    install = next(line for line in dockerfile.splitlines() if line.startswith("RUN for dep in /deps/*"))
    variables = dict(re.findall(r"^ENV (\w+)='(.*)'$", dockerfile, re.MULTILINE))
    graphs = json.loads((ROOT / "langgraph.json").read_text())["graphs"]
    assert set(json.loads(variables["LANGSERVE_GRAPHS"])) == set(graphs)

    clean = tmp_path / "clean"
    run([sys.executable, "-m", "venv", "--without-pip", str(clean)], tmp_path)
    command = (
        install.removeprefix("RUN ")
        .replace("/deps/*", f"{tmp_path}/deps/*")
        .replace("/api/constraints.txt", str(ROOT / "requirements.txt"))
        .replace("--system", f"--python {clean}/bin/python")
    )
    assert "uv pip install" in command
    run(command, tmp_path, PATH=f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    said = run([str(clean / "bin" / "python"), "-c", IMPORT_ALL], tmp_path, **variables)
    assert f"imported {len(graphs) + len(('auth', 'app'))}\n" in said


def test_secrets_and_data_stay_out_of_the_image() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert {".env", ".stationmaster/", ".venv/", ".langgraph_api/"} <= set(ignored)

"""`stationmaster check`: what is wrong with the graphs of a project, before it is deployed."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from stationmaster.cli.check_shown import print_report
from stationmaster.cli.reconciled import shown
from stationmaster.errors import StationmasterError
from stationmaster.server.stock import CONFIG_NAME, Project, read_project
from stationmaster.settings import load_settings

LONGEST_S = 300.0
LAST_WORDS = 2_000


class CheckFailed(StationmasterError):
    """The process that imports the graphs ended without an answer."""


def check(
    config: Annotated[
        Path, typer.Option(dir_okay=False, help="The project's langgraph.json (default: the one here).")
    ] = Path(CONFIG_NAME),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Look for what goes wrong with graphs, in their code, without running them. Exit code 1: something was found."""
    project = read_project(config)
    asked = {"config": str(project.path), "retention_days": load_settings().retention_days, "against": None}
    report = run(project, asked)
    for each in (*report["findings"], *report["exceptions"]):
        each["file"] = str(shown(Path(each["file"])))
    if as_json:
        typer.echo(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        print_report(Console(), report)
    if report["findings"]:
        raise typer.Exit(1)


def run(project: Project, asked: dict[str, Any]) -> dict[str, Any]:
    """In another process, from the project's directory and with its variables: importing graphs runs their code."""
    try:
        ended = subprocess.run(
            [sys.executable, "-m", "stationmaster.checking.process"],
            input=json.dumps(asked), capture_output=True, text=True, encoding="utf-8", errors="replace",
            cwd=project.directory, env={**project.env(), **os.environ}, timeout=LONGEST_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CheckFailed(
            f"importing the graphs of {project.path} took more than {LONGEST_S:.0f} s: see what their modules do when "
            "they are imported"
        ) from None
    try:
        return json.loads(ended.stdout)
    except ValueError:
        said = ended.stderr.strip()[-LAST_WORDS:] or "it said nothing"
        raise CheckFailed(
            f"the process that imports the graphs ended with code {ended.returncode}; its last words:\n{said}\n"
            "Correct what ends it: importing a graph must not"
        ) from None

"""`stationmaster check`: what is wrong with the graphs of a project, before it is deployed."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from stationmaster.cli.check_reviews import with_reviews
from stationmaster.cli.check_shown import print_against, print_report
from stationmaster.cli.target import Target, find_target, listens, named_target
from stationmaster.cli.terminal import shown
from stationmaster.errors import StationmasterError
from stationmaster.server.record import read_record
from stationmaster.server.stock import CONFIG_NAME, Project, read_project
from stationmaster.settings import Settings, load_settings

LONGEST_S = 600.0
LAST_WORDS = 2_000


class CheckFailed(StationmasterError):
    """The process that imports the graphs ended without an answer."""


class NotCompared(StationmasterError):
    """The deployment could not be asked; the graphs were checked all the same."""


def check(
    config: Annotated[
        Path, typer.Option(dir_okay=False, help="The project's langgraph.json (default: the one here).")
    ] = Path(CONFIG_NAME),
    against: Annotated[
        str | None,
        typer.Option(
            metavar="URL", help="Which paused threads of this deployment would break; a URL or a target."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    console_url: Annotated[
        str | None,
        typer.Option(help="The deployment's console, for links, with STATIONMASTER_CONSOLE_TOKEN."),
    ] = None,
    data_dir: Annotated[
        Path | None, typer.Option(file_okay=False, help="Whose server and console (default .stationmaster).")
    ] = None,
) -> None:
    """Look for what goes wrong with graphs, in their code, without running them. Exit code 1: something was found."""
    settings = load_settings()
    project = read_project(config)
    target = _target(settings, against, data_dir) if against else None
    if target:
        asyncio.run(listens(target.url))
    deployment = {"url": target.url, "key": target.api_key} if target else None
    report = run(project, {
        "config": str(project.path), "retention_days": settings.retention_days, "against": deployment,
    })  # fmt: skip
    for each in (*report["findings"], *report["exceptions"]):
        each["file"] = str(shown(Path(each["file"])))
    if report.get("against"):
        with_reviews(report["against"], settings, console_url, data_dir)
    if as_json:
        typer.echo(json.dumps(report, indent=2, ensure_ascii=False))
    else:
        print_report(Console(), report)
        if report.get("against"):
            print_against(Console(), report["against"])
    if problem := report.get("problem"):
        failed = NotCompared(problem["said"])
        failed.exit_code = problem["exit_code"]
        raise failed
    if report["findings"] or (report.get("against") or {}).get("broken"):
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
            f"checking {project.path} took more than {LONGEST_S:.0f} s: see what its modules do when they are imported"
        ) from None
    try:
        return json.loads(ended.stdout)
    except ValueError:
        said = ended.stderr.strip()[-LAST_WORDS:] or "it said nothing"
        raise CheckFailed(
            f"the process that imports the graphs ended with code {ended.returncode}; its last words:\n{said}\n"
            "Correct what ends it: importing a graph must not"
        ) from None


def _target(settings: Settings, against: str, data_dir: Path | None) -> Target:
    """A URL with STATIONMASTER_API_KEY, or the local key if it is the data directory's own server; or a target."""
    if "://" not in against:
        return named_target(settings, against)
    record = read_record((data_dir or settings.data_dir).expanduser().absolute())
    if record is not None and record.url == against.rstrip("/"):
        return find_target(settings, data_dir=data_dir or settings.data_dir)
    return find_target(settings, against)

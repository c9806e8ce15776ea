"""docs/crons.md names what there is, and nothing else."""

import re
from typing import get_args

from stationmaster.cli.crons import app
from stationmaster.crons import doctor
from stationmaster.crons.deciding import LATE
from stationmaster.crons.history import FORGET_DAYS
from stationmaster.crons.model import Outcome
from tests.fakes.agent_server import ROOT

PAGE = (ROOT / "docs" / "crons.md").read_text()


def section(title: str) -> str:
    return PAGE.split(f"## {title}\n")[1].split("\n## ")[0]


def first_cells(text: str) -> set[str]:
    """Every `code` in the first column of the section's tables."""
    rows = [line.split("|")[1] for line in text.splitlines() if line.startswith("|")]
    return {code for cell in rows for code in re.findall(r"`([^`]+)`", cell)}


def test_outcomes() -> None:
    assert first_cells(section("The history")) == set(get_args(Outcome))


def test_findings() -> None:
    source = (ROOT / "src/stationmaster/crons/doctor.py").read_text()
    assert first_cells(section("What doctor finds")) == set(re.findall(r'Finding\(\s*"(\w+)"', source))
    assert doctor.FAILED_IN_A_ROW == 3 and doctor.OVERDUE.total_seconds() == 5 * 60


def test_commands() -> None:
    named = {command.name or getattr(command.callback, "__name__", "") for command in app.registered_commands}
    assert named == set(re.findall(r"^stationmaster crons ([\w-]+)", PAGE, flags=re.MULTILINE))


def test_figures() -> None:
    assert f"dropped after {FORGET_DAYS} days" in PAGE
    assert LATE.total_seconds() == 60 and "more than a minute late" in PAGE

"""docs/assistants.md tells of every key and option, and its examples can be used."""

import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stationmaster.cli.__main__ import app
from stationmaster.reconcile.files import read
from stationmaster.reconcile.files.format import AssistantFile, CronFile
from tests.fakes.agent_server import ROOT

TEXT = (ROOT / "docs/assistants.md").read_text()
# Options of all commands, told of elsewhere.
COMMON = {"--help", "--api-url", "--data-dir", "--json", "--target"}


def test_the_examples_can_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assistant, cron = re.findall(r"```yaml\n(.*?)```", TEXT, re.DOTALL)
    for name in ("assistants/prompts", "crons"):
        Path(name).mkdir(parents=True)
    Path("assistants/a.yaml").write_text(assistant)
    Path("assistants/prompts/support-experimental.md").write_text("Be kind.")
    Path("assistants/b.yaml").write_text("name: digest\ngraph: digest\n")
    Path("crons/a.yaml").write_text(cron)
    assert read(Path("assistants"), Path("crons")).problems == ()


def test_every_key_is_told_of() -> None:
    told = re.findall(r"(?m)^\| `(\w+)` \|", TEXT)
    assert set(told) == {*AssistantFile.model_fields, *CronFile.model_fields}
    assert told == [*AssistantFile.model_fields, *CronFile.model_fields]


@pytest.mark.parametrize("command", ["plan", "apply", "adopt"])
def test_every_option_is_told_of(command: str) -> None:
    help_ = CliRunner().invoke(app, [command, "--help"], env={"COLUMNS": "200", "TERM": "dumb"}).output
    options = set(re.findall(r"(?<!\S)(--[a-z-]+)", help_)) - COMMON
    assert {option for option in options if option not in TEXT} == set()

"""The command line itself: exit codes, the version, every command listed and loadable."""

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stationmaster.cli.__main__ import COMMANDS, app, main
from stationmaster.errors import StationmasterError
from tests.stationmaster.cli.running import COMMAND, stationmaster

OTHER_MODULES = {
    "__init__",
    "__main__",
    "answers",
    "assistants_at",
    "assistants_canary",
    "assistants_changes",
    "assistants_shown",
    "assistants_words",
    "at_start",
    "banner",
    "canary_shown",
    "check_reviews",
    "check_shown",
    "children",
    "crons_shown",
    "data_dir",
    "db_schema",
    "db_shown",
    "diff_shown",
    "importing",
    "payload_shown",
    "plan_shown",
    "printing",
    "reconciled",
    "replicas",
    "reviews_asking",
    "reviews_operating",
    "reviews_shown",
    "shop_documents",
    "shop_holds",
    "shop_sanctions",
    "shop_transactions",
    "target",
    "terminal",
}


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int | str | None:
    monkeypatch.setattr(sys, "argv", ["stationmaster", *arguments])
    with pytest.raises(SystemExit) as end:
        main()
    return end.value.code


def test_version(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(monkeypatch, "--version") == 0
    assert capsys.readouterr().out.strip() == version("stationmaster")


def test_one_file_a_command() -> None:
    modules = {path.stem for path in (Path(__file__).parents[3] / "src/stationmaster/cli").glob("*.py")}
    assert modules - OTHER_MODULES == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_explains_itself(command: str) -> None:
    listed = CliRunner().invoke(app, ["--help"])
    assert command in listed.output
    told = CliRunner().invoke(app, [command, "--help"])
    assert told.exit_code == 0
    assert f"stationmaster {command}" in told.output
    assert "--install-completion" not in told.output


@pytest.mark.parametrize(
    "arguments", [["nope"], ["up", "--port", "0"], ["up", "--port", "many"], ["up", "--nope"], ["shop", "x"]]
)
def test_wrong_usage_is_2(monkeypatch: pytest.MonkeyPatch, arguments: list[str]) -> None:
    assert run(monkeypatch, *arguments) == 2


@pytest.mark.parametrize("code", [1, 2, 7])
def test_an_error_is_one_line_and_its_own_exit_code(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], code: int
) -> None:
    def fail() -> None:
        error = StationmasterError("the lamp is out: change it")
        error.exit_code = code
        raise error

    monkeypatch.setattr("stationmaster.cli.__main__.app", fail)
    assert run(monkeypatch) == code
    assert capsys.readouterr().err == "error: the lamp is out: change it\n"


def test_ctrl_c_is_130_and_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("stationmaster.cli.status.find_target", interrupted)
    assert run(monkeypatch, "status") == 130
    assert capsys.readouterr() == ("", "")


def test_without_a_server_a_command_says_how_to_start_one(tmp_path: Path) -> None:
    done = stationmaster("status", "--data-dir", "mine", cwd=tmp_path)
    assert done.returncode == 2
    assert "stationmaster up --data-dir mine" in done.stderr
    assert done.stdout == ""


def test_an_answering_command_needs_no_heavy_import() -> None:
    """`up` and a refusal shall not wait seconds for LangChain."""
    code = "import sys; import stationmaster.cli.up, stationmaster.cli.status; print('langchain_core' in sys.modules)"
    done = subprocess.run([COMMAND[0], "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"

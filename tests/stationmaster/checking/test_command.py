"""`stationmaster check` as it is called: exit codes, 80 columns, JSON, projects that can't be imported."""

import json
import resource
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from stationmaster.checking.process import answered
from stationmaster.cli import check as command
from stationmaster.server.stock import Project
from tests.fakes.agent_server import ROOT, free_port
from tests.stationmaster.checking.auditing import path_kept
from tests.stationmaster.checking.deployments import answering, holding, status
from tests.stationmaster.checking.test_comparing import row_of
from tests.stationmaster.cli.running import in_process, stationmaster

CHECKED = "tests.fakes.graphs.checked"
RELEASES = "tests.fakes.graphs.releases"


def project(directory: Path, **graphs: str) -> Path:
    (directory / "langgraph.json").write_text(json.dumps({"graphs": graphs, "dependencies": [str(ROOT)]}))
    return directory


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the command has done in a process of its own is done in this one, which has everything imported."""

    def run(project: Project, asked: dict[str, Any]) -> dict[str, Any]:
        with path_kept():
            return json.loads(json.dumps(answered(asked)))

    monkeypatch.setattr(command, "run", run)


def check(directory: Path, *arguments: str) -> Any:
    return in_process("check", *arguments, cwd=directory, env={"PYTHONPATH": str(ROOT), "COLUMNS": "80"})


def test_a_good_project(tmp_path: Path, here: None) -> None:
    done = check(project(tmp_path, helped=f"{RELEASES}:more_questions"))
    assert done.returncode == 0
    assert done.stdout == (
        "· helped is made outside of the project's directories: its source was not read\n\n"
        "1 graph: nothing to find\n"
    )


def test_findings_in_eighty_columns(tmp_path: Path) -> None:
    """Of modules that are not below the project's own directory only what can be seen in the graphs is found."""
    (tmp_path / "agent.py").write_text(
        (ROOT / "tests/fakes/graphs/checked/effect_before_pause.py").read_text()
    )
    done = check(project(tmp_path, pays="agent:bad_mails", keeps="./agent.py:bad_helped"))
    assert done.returncode == 1
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "effect-before-pause\n  agent.py:" in done.stdout
    assert "pays: mails: `server.sendmail` stands" not in done.stdout  # the node's name is gate
    assert "pays: gate: `server.sendmail` stands before the interrupt() of line" in done.stdout
    assert done.stdout.endswith("2 graphs: 2 findings\n")


def test_json(tmp_path: Path, here: None) -> None:
    done = check(project(tmp_path, line=f"{CHECKED}.straight_line:bad_one"), "--json")
    report = json.loads(done.stdout)
    assert done.returncode == 1
    assert set(report) == {"graphs", "findings", "exceptions", "notes"}
    (found,) = report["findings"]
    assert set(found) == {"rule", "graph", "file", "line", "said", "why", "write"}
    assert (found["rule"], found["graph"], found["line"] > 0) == ("straight-line", "line", True)


def test_a_module_that_ends_the_process(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("import os\nprint('goodbye')\nos._exit(3)\n")
    done = check(project(tmp_path, ends="agent:graph"))
    assert done.returncode == 2
    assert "ended with code 3" in done.stderr
    assert "goodbye" in done.stderr


def test_paused_threads_that_would_break(tmp_path: Path, here: None) -> None:
    rows = [row_of(number) for number in range(7)]
    with answering(holding(rows, ["begin", "ask", "end"], [])) as url:
        done = check(project(tmp_path, g=f"{RELEASES}:with_risk"), "--against", url)
        told = check(project(tmp_path, g=f"{RELEASES}:with_risk"), "--against", url, "--json")
        well = check(project(tmp_path, g=f"{RELEASES}:with_default"), "--against", url)
    assert done.returncode == 1
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "7 threads: it has no 'risk', which end reads without a default" in done.stdout
    assert "and 2 more; --json lists them all" in done.stdout
    assert done.stdout.endswith(f"{url}: 7 threads wait, 7 of them would break\n")
    broken = json.loads(told.stdout)["against"]["broken"]
    assert [each["thread_id"] for each in broken] == [row["thread_id"] for row in rows]
    assert (well.returncode, "none of them would break" in well.stdout) == (0, True)


@pytest.mark.parametrize("answers", [401, 500])
def test_a_deployment_that_refuses(tmp_path: Path, answers: int, here: None) -> None:
    with answering(status(answers)) as url:
        done = check(project(tmp_path, g=f"{RELEASES}:old"), "--against", url)
    assert done.returncode == 1
    assert f"error: {url}" in done.stderr
    assert str(answers) in done.stderr
    assert done.stdout.endswith("1 graph: nothing to find\n")  # the graphs were looked at all the same


def test_a_deployment_that_is_not_there(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    done = check(project(tmp_path, g=f"{RELEASES}:old"), "--against", url)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"error: {url} does not answer")


def test_reviews_are_linked_where_a_console_is_known(tmp_path: Path, here: None) -> None:
    rows = [row_of(number) for number in range(2)]
    (asked,) = next(iter(rows[0]["interrupts"].values()))
    review = {"id": "r-1", "thread_id": rows[0]["thread_id"], "interrupt_id": asked["id"]}

    def reviews(path: str, body: Mapping[str, Any]) -> tuple[int, bytes]:
        there = [review] if "tab=needs_you" in path else []
        return 200, json.dumps({"reviews": there, "next": None}).encode()

    with answering(holding(rows, ["ask"], [])) as url, answering(reviews) as console:
        arguments = ("--against", url, "--console-url", console)
        env = {
            "PYTHONPATH": str(ROOT),
            "COLUMNS": "80",
            "STATIONMASTER_CONSOLE_TOKEN": "token-of-a-colleague",
        }
        directory = project(tmp_path, g=f"{RELEASES}:with_risk")
        done = in_process("check", *arguments, cwd=directory, env=env)
        told = json.loads(in_process("check", *arguments, "--json", cwd=directory, env=env).stdout)
    assert f"    {console}/reviews/r-1\n" in done.stdout
    assert f"    thread {rows[1]['thread_id']}\n" in done.stdout
    assert [each["reviews"] for each in told["against"]["broken"]] == [[f"{console}/reviews/r-1"], []]


def test_a_target_that_nobody_named(tmp_path: Path) -> None:
    done = check(project(tmp_path, g=f"{RELEASES}:old"), "--against", "prod")
    assert done.returncode == 2
    assert "prod is not among STATIONMASTER_TARGETS" in done.stderr


def test_an_import_that_does_not_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "LONGEST_S", 3.0)
    (tmp_path / "agent.py").write_text("import threading\nthreading.Event().wait()\n")
    done = check(project(tmp_path, waits="agent:graph"))
    assert done.returncode == 2
    assert "took more than 3 s: see what its modules do when they are imported" in done.stderr


def test_no_project(tmp_path: Path) -> None:
    done = check(tmp_path)
    assert done.returncode == 2
    assert "there is no langgraph.json in" in done.stderr


@pytest.mark.slow
def test_our_own_graphs_within_five_seconds() -> None:
    """Of processor time, both processes and all imports: the machine may have other things to do."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = stationmaster("check", "--json", cwd=ROOT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = json.loads(done.stdout)
    assert (done.returncode, report["findings"]) == (0, [])
    assert len(report["graphs"]) >= 10
    assert after.ru_utime - before.ru_utime < 5

"""`stationmaster reviews` as somebody at a terminal uses it, on a service that `up` runs."""

import json
import subprocess
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.cli.reviews import kept
from stationmaster.reviews.asking_as import asked_as
from tests.conftest import clone
from tests.stationmaster.cli.running import Up, eventually, in_process, stationmaster
from tests.stationmaster.server.tiny import tiny_project

Command = Callable[..., subprocess.CompletedProcess[str]]
ISSUE_KEYS = {"id", "thread_id", "interrupt_id", "graph", "assistant", "state", "title", "payload"}


@pytest.fixture(scope="module")
def up(server: str, seeded_template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Up]:
    """An `up` of the tiny project, shared by this module's tests."""
    directory = tmp_path_factory.mktemp("reviews")
    tiny_project(directory)
    for database in clone(server, seeded_template):
        up = Up(directory, env={"STATIONMASTER_DATABASE_URI": database})
        try:
            yield up.start()
        finally:
            up.kill()


class Terminal:
    """Somebody in the project's directory."""

    def __init__(self, up: Up) -> None:
        self.up = up

    def reviews(
        self, *arguments: str, run: Command = in_process, env: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        where = {**self.up.env, "COLUMNS": "80", **(env or {})}
        done = run("reviews", *arguments, cwd=self.up.project, env=where)
        assert "Traceback" not in done.stderr, done.stderr
        return done

    def json(self, *arguments: str, code: int = 0) -> Any:
        done = self.reviews(*arguments, "--json")
        assert done.returncode == code, done.stderr
        return json.loads(done.stdout)

    def ask(self) -> tuple[str, str]:
        """A thread on which the graph waits, and its review."""
        thread = self.up.post("/threads").json()["thread_id"]
        run = {"assistant_id": "tiny", "input": {"n": 1}}
        assert self.up.post(f"/threads/{thread}/runs/wait", run).status_code == 200
        found: list[Any] = []

        def opened() -> bool:
            found[:] = self.json("list", "--thread", thread)
            return bool(found)

        eventually(opened, "opened a review")
        return thread, found[0]["id"]

    def values(self, thread: str) -> Any:
        return self.up.get(f"/threads/{thread}/state").json()["values"]


@pytest.fixture
def terminal(up: Up) -> Terminal:
    return Terminal(up)


def test_what_waits_is_listed_shown_and_answered_once(terminal: Terminal) -> None:
    thread, review_id = terminal.ask()
    (listed,) = terminal.json("list", "--thread", thread)
    assert listed.keys() >= ISSUE_KEYS
    assert (listed["graph"], listed["assistant"], listed["state"]) == ("tiny", "tiny", "open")
    assert listed["payload"] == "how many more?"
    table = terminal.reviews("list", run=stationmaster).stdout
    assert review_id[:8] in table
    assert "how many more?" in table
    assert max(map(len, table.splitlines())) <= 80
    shown = terminal.reviews("show", review_id[:8]).stdout
    assert f"decide {review_id[:8]} --answer JSON" in shown
    assert "--approve" not in shown
    done = terminal.json("decide", review_id, "--answer", "41")
    assert done["state"] in ("consumed", "finished")
    assert (done["answer"], done["decided_by"]) == (41, "local operator")
    eventually(lambda: terminal.values(thread) == {"n": 42}, "went on with the answer")
    again = terminal.json("decide", review_id, "--answer", "1", code=3)
    assert again["answer"] == 41
    assert again["refused"]["by"] == "local operator"
    late = terminal.reviews("decide", review_id, "--answer", "1")
    assert late.returncode == 3
    assert (
        f"local operator has already answered this with `answer` at {again['decided_at'][:10]}" in late.stderr
    )
    assert terminal.json("list", "--thread", thread) == []
    (after,) = terminal.json("list", "--thread", thread, "--all")
    assert after["id"] == review_id
    told = terminal.json("show", review_id)
    assert told["result"]["changed"] == {"n": 42}
    history = [entry["action"] for entry in told["history"]]
    assert history[:1] + history[-1:] == ["opened", "finished"]
    assert {"decided", "sent", "consumed"} <= set(history)


def test_wrong_usage_is_2_and_says_what_would_do(terminal: Terminal) -> None:
    _, review_id = terminal.ask()
    for arguments, says in {
        ("--approve",): "it takes --answer JSON",
        ("--answer", "{"): "wants JSON",
        (): "give one of --approve",
        ("--approve", "--answer", "1"): "give one of --approve",
    }.items():
        done = terminal.reviews("decide", review_id, *arguments)
        assert done.returncode == 2
        assert says in " ".join(done.stderr.replace("│", " ").split())
    for unknown in ("00000000-0000-4000-8000-000000000000", "zzz"):
        done = terminal.reviews("decide", unknown, "--answer", "1")
        assert done.returncode == 2
        assert "reviews list" in done.stderr or "look in the list" in done.stderr
    assert terminal.json("show", review_id)["state"] == "open"


def test_an_answer_that_loses_against_another_client_is_3(terminal: Terminal) -> None:
    """Answered by the SDK while it stood in the list: the command says that it had no effect."""
    thread, review_id = terminal.ask()
    resume = {"assistant_id": "tiny", "command": {"resume": 5}}
    assert terminal.up.post(f"/threads/{thread}/runs/wait", resume).status_code == 200
    done = terminal.reviews("decide", review_id, "--answer", "1")
    assert done.returncode == 3
    assert done.stderr.startswith("refused: ")
    assert terminal.values(thread) == {"n": 6}


def test_the_audit_is_verified_here_and_a_changed_export_is_told(terminal: Terminal, tmp_path: Path) -> None:
    _, review_id = terminal.ask()
    terminal.json("decide", review_id, "--answer", "7")
    assert terminal.reviews("audit", "verify").stdout.startswith("whole: ")
    file = tmp_path / "audit.jsonl"
    assert terminal.reviews("audit", "export", "--output", str(file)).returncode == 0
    assert terminal.json("audit", "verify", str(file))["ok"] is True
    assert terminal.reviews("audit", "export").stdout.startswith(file.read_text().splitlines()[0])
    file.write_text(file.read_text().replace('"action":"decided"', '"action":"claimed"', 1))
    broken = terminal.reviews("audit", "verify", str(file))
    assert broken.returncode == 1
    assert "BROKEN" in broken.stdout
    assert "counters" in terminal.json("drift")
    assert "last sweep" in terminal.reviews("drift").stdout


def test_a_console_elsewhere_wants_a_token_and_shows_what_is_in_scope(terminal: Terminal) -> None:
    _, review_id = terminal.ask()
    named = ("--console-url", terminal.up.console_url)
    nobody = terminal.reviews("list", *named)
    assert nobody.returncode == 2
    assert "STATIONMASTER_CONSOLE_TOKEN" in nobody.stderr
    assert terminal.reviews("list", *named, env={"STATIONMASTER_CONSOLE_TOKEN": "wrong"}).returncode == 2
    token: dict[str, str] = {}
    for arguments in (
        ("add", "ann", "--no-password", "--group", "elsewhere"),
        ("token", "create", "ann", "x"),
    ):
        made = in_process("users", *arguments, cwd=terminal.up.project, env=terminal.up.env)
        assert made.returncode == 0, made.stderr
        token = {"STATIONMASTER_CONSOLE_TOKEN": made.stdout.strip()}
    assert terminal.reviews("list", *named, env=token).stdout == "none: nothing waits for a person\n"
    hidden = terminal.reviews("show", review_id, *named, env=token)
    assert hidden.returncode == 2
    assert "no such review" in hidden.stderr
    away = terminal.reviews("list", "--console-url", "http://127.0.0.1:9", env=token)
    assert away.returncode == 2
    assert "no console answers at http://127.0.0.1:9" in away.stderr


def test_the_first_answer_of_two_is_told_to_be_kept() -> None:
    said = kept({"state": "open", "first_by": "ann"})
    assert said is not None
    assert "waits for a second person" in said
    assert kept({"state": "open", "first_by": None}) is None
    assert kept({"state": "taken", "first_by": "ann"}) is None


async def test_the_graphs_own_assistant_is_told_from_one_of_its_name(client: LangGraphClient) -> None:
    own = (await client.assistants.search(graph_id="support", metadata={"created_by": "system"}))[0]
    assert asked_as("support", own["assistant_id"], "support", 3) == "support (the graph's own), version 3"
    assert asked_as("support", "6f0c2c0e-5d0b-5f3c-9a53-3f5f7a2a9d41", "support", 3) == "support, version 3"
    assert asked_as(None, None, None, None) == ""

"""`stationmaster assistants` as somebody at a terminal of 80 columns uses it, in process, on the room's server."""

import asyncio
import json
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from stationmaster.cli.__main__ import app
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.gateway import Gateway
from tests.fakes.agent_server import FOREIGN, ROOT, AgentServer
from tests.stationmaster.assistants.conftest import made
from tests.stationmaster.assistants.serving import run

PROMPT = "You are kind.\nYou are short.\nYou are exact."


class Terminal:
    """Somebody who names the server, and knows the console's database."""

    def __init__(self, server: AgentServer) -> None:
        self.server = server

    def __call__(self, *arguments: str, code: int = 0, answer: str | None = None) -> Result:
        where = ("--api-url", self.server.url)
        done = CliRunner().invoke(app, ["assistants", *arguments, *where], input=answer)
        assert done.exit_code == code, (done.output, done.exception)
        assert "--json" in arguments or max(map(len, done.output.splitlines()), default=0) <= 80
        return done

    def json(self, *arguments: str) -> Any:
        return json.loads(self(*arguments, "--json").stdout)

    def refused(self, *arguments: str) -> str:
        done = CliRunner().invoke(app, ["assistants", *arguments, "--api-url", self.server.url])
        assert isinstance(done.exception, StationmasterError), done.output
        return str(done.exception)

    def work(self, what: Callable[[Gateway], Any]) -> Any:
        async def connected() -> Any:
            async with self.server.sdk() as sdk:
                return await what(Gateway(sdk, self.server.url))

        return asyncio.run(connected())


@pytest.fixture
def terminal(
    configured: AgentServer, database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Terminal:
    for name in FOREIGN:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)  # no .env of the developer's
    monkeypatch.setenv("STATIONMASTER_DATABASE_URI", database)
    monkeypatch.setenv("COLUMNS", "80")
    return Terminal(configured)


@pytest.fixture
def pair(terminal: Terminal, name: str) -> tuple[str, str]:
    """A live assistant and another one."""

    async def both(gateway: Gateway) -> None:
        await made(
            gateway,
            name,
            context={"tone": "formal"},
            description="For customers.",
            live=True,
            tags=("a", "b"),
        )
        await made(gateway, f"{name}-next", context={"model": PROMPT, "threshold": 100})

    terminal.work(both)
    return name, f"{name}-next"


def test_the_list_shows_what_is_live_what_waits_and_the_canary(
    terminal: Terminal, pair: tuple[str, str]
) -> None:
    live, other = pair
    terminal("canary", f"{live}={other}:10%", "--reason", "tried", "--by", "anna")
    lines = terminal("list").output.splitlines()
    (at,) = [number for number, line in enumerate(lines) if f"● {live} " in line]
    assert lines[at].split()[-3:] == ["s", "anna", "-"]
    assert lines[at + 1].strip() == f"10% to {other}"
    found = {each["name"]: each for each in terminal.json("list", "--graph", "configured")}
    assert (found[live]["live"], found[live]["version"], found[live]["waiting"]) == (True, 2, 0)
    assert found[live]["canary"]["assistant"] == other
    assert "made by the server" not in terminal("list").output
    assert "made by the server" in terminal("list", "--all").output


def test_one_assistant_with_what_the_graph_fills_in(terminal: Terminal, pair: tuple[str, str]) -> None:
    shown = terminal("show", pair[0]).output
    for part in (
        "version 1",
        "For customers.",
        "yes, client apps use it",
        "tone",
        "formal",
        "threshold",
        "500",
    ):
        assert part in shown
    found = terminal.json("show", f"{pair[0]}@1")
    assert (found["context"], found["defaults"]["threshold"]) == ({"tone": "formal"}, 500)


def test_a_difference_is_shown_side_by_side_and_texts_line_by_line(
    terminal: Terminal, pair: tuple[str, str]
) -> None:
    shown = terminal("diff", *pair).output
    assert f"{pair[0]}@1" in shown
    assert "+You are short." in shown
    assert any(line.split() == ["context.tone", "formal", "not", "set"] for line in shown.splitlines())
    found = {each["field"]: each for each in terminal.json("diff", *pair)}
    assert found["context.tone"] == {"field": "context.tone", "before": "formal"}
    assert found["context.threshold"] == {"field": "context.threshold", "after": 100}
    assert "say the same" in terminal("diff", pair[0], pair[0]).output
    assert "is the first version" in terminal.refused("diff", pair[0])


def test_a_promote_shows_asks_writes_and_says_how_to_undo(terminal: Terminal, pair: tuple[str, str]) -> None:
    live, other = pair

    async def ask(gateway: Gateway) -> None:
        found = {each.known_as: each for each in await gateway.assistants()}
        await run(gateway.client, found[live].assistant_id, input={"ask": True})

    terminal.work(ask)
    asked = ("promote", live, "--from", other, "--reason", "better", "--by", "anna")
    looked = terminal(*asked, "--dry-run").output
    assert "No run is under way." in looked
    assert "Nothing was written." in terminal(*asked, code=1, answer="n\n").output
    assert terminal.json("show", live)["version"] == 1
    done = terminal(*asked, answer="y\n").output
    assert "Write version 2?" in done
    assert f"done  {live} is at version 2: promote {other}@1, by anna" in done
    assert f"rollback {live} --to 1" in done
    assert "better" in terminal("versions", live).output
    change = terminal.json("versions", live)[0]["change"]
    assert (change["author"], change["reason"], change["from_version"]) == ("anna", "better", 1)


def test_json_asks_nothing_and_says_what_was_written(terminal: Terminal, pair: tuple[str, str]) -> None:
    live, other = pair
    asked = ("promote", live, "--from", other, "--reason", "better")
    assert "say --yes" in terminal.refused(*asked, "--json")
    assert terminal.json(*asked, "--dry-run")["written"] is None
    found = terminal.json(*asked, "--yes", "--expect", "1")
    assert found["written"]["version"] == 2
    assert found["written"]["changes"] == found["changes"]
    assert "version 1 was expected" in terminal.refused(
        "rollback", live, "--reason", "x", "--expect", "1", "--yes"
    )
    back = terminal.json("rollback", live, "--reason", "worse", "--yes")
    assert (back["source"], back["written"]["version"]) == (f"{live}@1", 3)
    assert terminal.json("diff", f"{live}@1", live) == []


def test_a_canary_is_one_line_and_is_closed_by_another(terminal: Terminal, pair: tuple[str, str]) -> None:
    live, other = pair
    started = terminal("canary", f"{live}={other}:10%", "--reason", "tried").output
    assert f"done  10% of {live}'s threads get {other}" in started
    assert ", 10% before" in terminal("canary", "start", f"{live}={other}:20%", "--reason", "more").output
    status = terminal("canary", "status", live).output
    assert f"{live}: canary of {other} at 20%" in status
    assert "No run has ended yet" in status
    report = terminal.json("canary", "status", live)
    assert (report["canary"]["share"], report["arms"][1]["runs"]) == (0.2, 0)
    assert live in {each["assistant"] for each in terminal.json("canary", "status")}
    assert f"all threads get {live}" in " ".join(
        terminal("canary", "end", live, "--reason", "enough").output.split()
    )
    assert "has no canary" in terminal.refused("canary", "status", live)
    assert "such as 10%" in terminal.refused("canary", f"{live}={other}:100%", "--reason", "x")


def test_a_tenant_is_pinned(terminal: Terminal, pair: tuple[str, str]) -> None:
    live, other = pair
    assert f"acme gets {other}" in terminal("pin", live, f"acme={other}", "--reason", "agreed").output
    assert terminal.json("show", live)["pins"] == {"acme": other}
    terminal("unpin", live, "acme", "--reason", "over")
    assert terminal.json("show", live)["pins"] == {}
    assert "such as acme=support-acme" in terminal.refused("pin", live, "acme", "--reason", "x")


def test_what_a_server_holds_draws_nothing_on_the_screen(terminal: Terminal, name: str) -> None:
    bad = "\x1b[2Jgone\r"

    async def one(gateway: Gateway) -> None:
        await made(gateway, name, context={"model": bad}, description=bad, metadata={"team": bad})

    terminal.work(one)
    terminal("promote", name, "--from", "configured", "--reason", bad, "--by", "x\x1b[2J", "--yes")
    for command in (("list",), ("show", name), ("versions", name), ("diff", name)):
        output = terminal(*command).output
        assert "\x1b[2J" not in output
        assert "\r" not in output


def test_without_the_consoles_database_a_server_elsewhere_still_counts(
    terminal: Terminal, pair: tuple[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("STATIONMASTER_DATABASE_URI")
    proposal = terminal.json("promote", pair[0], "--from", pair[1], "--reason", "x", "--dry-run")
    assert (proposal["waiting"], proposal["known_from"]) == (0, "threads")
    terminal("canary", f"{pair[0]}={pair[1]}:10%", "--reason", "x")
    assert "set STATIONMASTER_DATABASE_URI" in terminal.refused("canary", "status", pair[0])


def test_a_reason_is_needed(terminal: Terminal, pair: tuple[str, str]) -> None:
    assert "--reason" in terminal("rollback", pair[0], "--yes", code=2).output


def _documented() -> list[str]:
    text = (ROOT / "docs" / "versions.md").read_text()
    return re.findall(r"^stationmaster (assistants .*?)(?:\s+#.*)?$", text, re.MULTILINE)


@pytest.mark.parametrize("line", _documented())
def test_every_command_of_the_page_is_one(line: str) -> None:
    done = CliRunner().invoke(app, [*shlex.split(line), "--help"], terminal_width=200)
    assert done.exit_code == 0, done.output
    named = [word for word in shlex.split(line) if word.startswith("--")]
    assert all(option in done.output for option in named)

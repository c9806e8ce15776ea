"""`stationmaster crons` as an operator sees it, on the served crons."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from stationmaster.cli.crons import app
from stationmaster.crons.server import CronServer
from stationmaster.crons.worker import pooled
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.resources import Assistant
from stationmaster.reviews.database import open_pool
from tests.fakes.agent_server import AgentServer
from tests.stationmaster.crons.operator import BY, NEVER_SOON, Operator, outcomes


class Crons:
    """The command, and beside it an operator in a loop of its own."""

    def __init__(self, server: AgentServer, database: str) -> None:
        self.server, self.database = server, database

    def __call__(self, *arguments: str) -> Result:
        return CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"}).invoke(app, list(arguments))

    def json(self, *arguments: str) -> Any:
        result = self(*arguments, "--json")
        assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
        return json.loads(result.stdout)

    def do(self, work: Callable[[Operator], Awaitable[Any]]) -> Any:
        async def run() -> Any:
            async with open_pool(self.database, max_size=2) as pool, self.server.sdk() as client:
                return await work(Operator(CronServer(client, self.server.url), pooled(pool), "cli"))

        return asyncio.run(run())


@pytest.fixture
def crons(served_crons: AgentServer, cron_database: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("STATIONMASTER_API_URL", served_crons.url)
    monkeypatch.setenv("STATIONMASTER_DATABASE_URI", cron_database)
    command = Crons(served_crons, cron_database)

    async def begin(operator: Operator) -> None:
        gateway = operator.server.gateway
        there = {found.name for found in await gateway.assistants() if found.owned}
        for graph in {"plain", "failing"} - there:
            await gateway.create_assistant(Assistant(graph, graph), BY)
        await operator.cron("report", schedule="30 1 * * *", timezone="Europe/London")
        await operator.cron("asks", "plain", NEVER_SOON, thread="cli-desk")

    async def end(operator: Operator) -> None:
        for cron in await operator.server.gateway.crons():
            await operator.server.gateway.delete_cron(cron.cron_id)

    command.do(begin)
    yield command
    command.do(end)


def test_list_and_next(crons: Crons) -> None:
    rows = crons.json("list")
    assert [(row["name"], row["assistant"], row["thread"], row["overlap"]) for row in rows] == [
        ("cli-asks", "plain", "cli-desk", "skip"), ("cli-report", "failing", "fresh", "skip"),
    ]  # fmt: skip
    shown = crons("list").stdout
    assert (
        "cli-report" in shown
        and "30 1 * * *" in shown
        and all(len(line) <= 80 for line in shown.splitlines())
    )
    upcoming = crons.json("next", "cli-report", "--after", "2026-10-24T12:00:00", "--count", "2")
    assert [firing["at"] for firing in upcoming["firings"]] == [
        "2026-10-25T00:30:00+00:00", "2026-10-26T01:30:00+00:00",
    ]  # fmt: skip
    shown = crons("next", "cli-report", "--after", "2026-10-24T12:00:00", "--count", "2").stdout
    assert "Sun 25 Oct 2026 01:30:00 BST  25 Oct 00:30:00" in shown and "comes twice" in shown


def test_next_of_a_schedule_needs_no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STATIONMASTER_API_URL", "http://127.0.0.1:9")
    command = CliRunner(env={"COLUMNS": "80", "NO_COLOR": "1"})
    asked = [
        "next",
        "--schedule",
        "15 2 * * *",
        "--timezone",
        "Australia/Lord_Howe",
        "--after",
        "2026-10-03",
        "--json",
    ]
    firings = json.loads(command.invoke(app, asked).stdout)["firings"]
    assert firings[0]["local"] == "2026-10-04T02:30:00+11:00" and len(firings) == 10
    for wrong, said in (
        (["next", "--schedule", "61 * * * *"], "is no schedule"),
        (["next", "--schedule", "0 9 * * *", "--timezone", "Moon/Base"], "there is no zone Moon/Base"),
        (["next"], "name a cron, or give --schedule"),
    ):
        error = command.invoke(app, wrong).exception
        assert isinstance(error, StationmasterError) and said in str(error)


def test_the_history_of_a_cron_that_has_not_fired_yet_is_no_error(crons: Crons) -> None:
    crons.do(lambda operator: operator.cron("young", schedule="30 1 * * *", timezone="Europe/London"))
    shown = crons("history", "cli-young")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("cli-young has not fired yet; next ") and "01:30:00" in shown.stdout
    assert len(crons.json("history", "cli-young")["first"]["firings"]) == 1
    assert crons("pause", "cli-young", "--reason", "holidays", "--by", "ann").exit_code == 0
    shown = crons("history", "cli-young").stdout
    assert shown == "cli-young has not fired yet, and will not: paused by ann: holidays\n"


def test_run_now_history_and_its_refusal(crons: Crons) -> None:
    shown = crons("run-now", "cli-report", "--wait", "20", "--by", "ann")
    assert shown.exit_code == 0 and "success" in shown.stdout
    page = crons.json("history", "cli-report")
    assert [(tick["outcome"], tick["started_by"]) for tick in page["ticks"]] == [("success", "ann")]
    assert crons.json("run-now", "cli-asks", "--wait", "20")["tick"]["outcome"] == "waiting"
    refused = crons("run-now", "cli-asks").exception
    assert isinstance(refused, StationmasterError) and refused.exit_code == 3
    assert str(refused).startswith("cron cli-asks: a question waits for a person on its thread")
    shown = crons("history", "--limit", "50").stdout
    assert "waiting" in shown and "started by ann" in shown
    older = crons.json("history", "--limit", "1")
    assert (
        crons.json("history", "--limit", "1", "--before", str(older["older"]))["ticks"][0]["id"]
        < older["older"]
    )
    nobody = crons("history", "nobody").exception
    assert isinstance(nobody, StationmasterError) and "nothing is recorded of a cron nobody" in str(nobody)


def test_pause_and_resume(crons: Crons) -> None:
    assert crons("pause", "cli-report", "-m", "ticket 71", "--by", "ann").exit_code == 0
    row = next(row for row in crons.json("list") if row["name"] == "cli-report")
    assert (row["enabled"], row["next"], row["paused"]["reason"]) == (False, None, "ticket 71")
    assert "cli-report is paused by ann: ticket 71" in crons("list").stdout
    assert "paused by ann: ticket 71: none of these will fire" in crons("next", "cli-report").stdout
    assert crons.json("resume", "cli-report")["firings"]
    assert "error" not in crons("list").stdout
    again = crons("resume", "cli-report").exception
    assert isinstance(again, StationmasterError) and "is not paused" in str(again)


def test_doctor(crons: Crons) -> None:
    async def break_it(operator: Operator) -> None:
        await operator.cron("report", schedule="30 1 * * *", timezone="Europe/London")

    assert [
        each["kind"] for each in crons.json("doctor")["findings"] if each["cron"].startswith("cli-")
    ] == []
    crons.do(break_it)
    result = crons("doctor")
    assert result.exit_code == 1
    assert "duplicate  cli-report" in result.stdout and "`stationmaster apply` merges them" in result.stdout
    twice = crons("resume", "cli-report").exception
    assert isinstance(twice, StationmasterError) and "there are 2 crons cli-report" in str(twice)


def test_a_server_elsewhere_leaves_the_record_here_alone(
    crons: Crons, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What is recorded here is not looked for on another server, where it would count as lost."""
    assert crons("run-now", "cli-report", "--wait", "20").exit_code == 0
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("STATIONMASTER_DATABASE_URI")
    monkeypatch.delenv("DATABASE_URI", raising=False)
    monkeypatch.delenv("STATIONMASTER_API_URL")
    monkeypatch.setenv("STATIONMASTER_TARGETS", f"prod={crons.server.url}")
    for there in (["--api-url", crons.server.url], ["--target", "prod"]):
        rows = crons.json("list", *there)
        assert [(row["name"], row["last"]) for row in rows] == [("cli-asks", None), ("cli-report", None)]
        for refused in (["history"], ["run-now", "cli-report", "--wait", "9"]):
            error = crons(*refused, *there).exception
            assert isinstance(error, StationmasterError) and "in the database of that server" in str(error)
        assert crons.json("doctor", *there)["findings"] == []
    assert crons("run-now", "cli-report", *there).exit_code == 0
    assert crons("pause", "cli-report", "-m", "later", *there).exit_code == 0
    assert crons("resume", "cli-report", *there).exit_code == 0
    assert list(tmp_path.iterdir()) == []  # no database was begun for it either


def test_a_failing_cron_is_found(crons: Crons) -> None:
    async def fail(operator: Operator) -> Any:
        await operator.cron("bad", schedule=NEVER_SOON, input={"fail": True})

    async def ended(operator: Operator) -> Any:
        return await operator.until("bad", lambda ticks: outcomes(ticks) == ["error"] * 2)

    crons.do(fail)
    assert crons("run-now", "cli-bad").exit_code == 0
    waited = crons("run-now", "cli-bad", "--wait", "20")
    assert waited.exit_code == 1 and "the report has no rows" in waited.stdout
    crons.do(ended)
    found = [each for each in crons.json("doctor", "--failed", "2")["findings"] if each["cron"] == "cli-bad"]
    assert [each["kind"] for each in found] == ["failing"] and "the report has no rows" in found[0]["said"]

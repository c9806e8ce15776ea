"""`stationmaster demo` as a person runs it: against a server, on one that it starts, with a file of messages."""

import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient

from stationmaster.demo.host import StartRefused, hosted
from stationmaster.demo.run import GRAPH, DemoError, assistant_of, run_ticket
from stationmaster.demo.tickets import Ticket
from stationmaster.settings import load_settings
from tests.fakes.agent_server import ROOT, AgentServer, clean_environment
from tests.fakes.shop import Ledger
from tests.stationmaster.cli.running import COMMAND, Up, eventually, in_process, stationmaster

Done: TypeAlias = subprocess.CompletedProcess[str]

BITEXT = ROOT.parent / "shared" / "data" / "bitext_customer_support" / "validation.csv"
MESSAGES = """utterance,intent
where is my parcel?,track_order
please cancel order 88126,cancel_order
"I want to speak with somebody, right now",contact_human_agent
nobody labelled this one,some_new_label
"""


def demo(
    *options: str, database: str | None = None, run: Callable[..., Done] = in_process, cwd: Path = ROOT
) -> Done:
    """Run the command and wait for its end."""
    env = {"STATIONMASTER_DATABASE_URI": database} if database else {}
    return run("demo", *options, cwd=cwd, env=env)


def found_by(done: Done) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_six_tickets_come_to_what_they_must(support: AgentServer, served_shop: str, ledger: Ledger) -> None:
    found = found_by(demo("--api-url", support.url, "--json", database=served_shop, run=stationmaster))
    assert found["ok"] is True
    assert {ticket["ticket"]: (ticket["intent"], ticket["outcome"]) for ticket in found["tickets"]} == {
        "blender": ("refund", "refunded"),
        "small-refund": ("refund", "refunded"),
        "question": ("question", "answered"),
        "no-such-order": ("refund", "order_not_found"),
        "wants-a-human": ("human", "human"),
        "too-late": ("refund", "refund_declined"),
    }
    assert [ticket["ticket"] for ticket in found["tickets"] if ticket["waited"]] == ["blender"]
    assert found["ledger"]["refunds"] == 2
    assert found["ledger"]["duplicate_refunds"] == 0
    assert found["ledger"]["mails"] == 5


def test_again_and_for_people(support: AgentServer, served_shop: str) -> None:
    """The second run on one shop finds the blender refunded, and uses a copy of the order."""
    first = demo("--api-url", support.url, database=served_shop)
    second = demo("--api-url", support.url, database=served_shop)
    for done in (first, second):
        assert done.returncode == 0, done.stderr
        assert "waits for a person" in done.stdout
        assert "approve, directly: no console runs beside this server" in done.stdout
        assert "draft (not sent)" in done.stdout
        assert "instead of the draft" not in done.stdout
        assert "2 refunds, $688.50; 0 duplicates; 5 mails" in done.stdout
    assert "Refund $640.00 for order 88" in second.stdout
    assert first.stdout != second.stdout


@pytest.mark.slow
def test_it_starts_and_stops_a_server_of_its_own(tmp_path: Path) -> None:
    found = found_by(demo("--data-dir", str(tmp_path / "data"), "--json", run=stationmaster))
    assert found["ok"] is True
    # A console runs beside it, so that the approval went through the review service.
    (blender,) = (ticket for ticket in found["tickets"] if ticket["waited"])
    assert blender["answered_by"] == "local operator"
    assert blender["nodes"][-3:] == ["approve", "refund", "send"]
    assert not (tmp_path / "data" / "server.json").exists()
    assert not (tmp_path / "data" / "console.json").exists()


@pytest.mark.slow
def test_what_is_left_to_a_person_waits_for_one(tmp_path: Path, seeded_database: str) -> None:
    """`--wait`: who answers in the inbox, and how, is the outcome; a rejection is as good as any."""
    env = {"STATIONMASTER_DATABASE_URI": seeded_database}
    up = Up(ROOT, env=env, arguments=("--data-dir", str(tmp_path / "data")))
    command = [*COMMAND, "demo", "--wait", "--json", "--data-dir", str(tmp_path / "data")]
    try:
        up.start()
        waiting = subprocess.Popen(
            command, cwd=ROOT, env=clean_environment(env), stdout=subprocess.PIPE, text=True
        )
        reviews: list[dict[str, Any]] = []

        def opened() -> bool:
            listed = reviews_command("list", "--json", tmp_path=tmp_path)
            reviews[:] = json.loads(listed.stdout)
            return bool(reviews)

        eventually(opened, "opened the review")
        assert waiting.poll() is None
        done = reviews_command("decide", reviews[0]["id"], "--reject", "Not today", tmp_path=tmp_path)
        assert done.returncode == 0, done.stderr
        found = json.loads(waiting.communicate(timeout=60)[0])
    finally:
        up.kill()
    assert found["ok"] is True
    blender = found["tickets"][0]
    assert (blender["outcome"], blender["amount_usd"]) == ("refund_rejected", 0.0)
    assert "Not today" in blender["reply"]
    assert found["ledger"]["refunds"] == 1


def reviews_command(*arguments: str, tmp_path: Path) -> Done:
    return in_process("reviews", *arguments, "--data-dir", str(tmp_path / "data"), cwd=tmp_path)


def test_without_a_console_nobody_could_answer(support: AgentServer, served_shop: str) -> None:
    done = demo("--wait", "--api-url", support.url, database=served_shop)
    assert done.returncode == 2
    assert "no console runs beside" in done.stderr


def test_messages_of_a_file_are_compared_with_their_labels(
    support: AgentServer, served_shop: str, tmp_path: Path
) -> None:
    file = tmp_path / "messages.csv"
    file.write_text(MESSAGES)
    found = found_by(demo("--api-url", support.url, "--json", "--messages", str(file), database=served_shop))
    assert found["messages"]["n"] == 4
    assert found["messages"]["failed"] == 0
    assert found["messages"]["intent_accuracy"] == 1.0
    assert found["messages"]["outcomes"]["human"] >= 1
    assert found["messages"]["runs_per_s"] > 0


@pytest.mark.slow
@pytest.mark.skipif(not BITEXT.exists(), reason="the Bitext messages are not beside this checkout")
def test_real_messages_reach_the_accuracy_that_is_promised(support: AgentServer, served_shop: str) -> None:
    options = ("--api-url", support.url, "--json", "--messages", str(BITEXT), "--limit", "200")
    found = found_by(demo(*options, database=served_shop))
    assert found["messages"]["n"] == 200
    assert found["messages"]["failed"] == 0
    assert found["messages"]["intent_accuracy"] >= 0.80


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("text,label\nhello,x\n", "line 1: no column intent, utterance"),
        ("utterance,intent\n", "holds no messages"),
        (b"utterance,intent\n\xff\xfe,x\n", "in UTF-8"),
    ],
)
def test_a_file_that_is_no_use_is_named_before_anything_is_sent(
    content: str | bytes, says: str, tmp_path: Path
) -> None:
    file = tmp_path / "messages.csv"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    done = demo("--messages", str(file), "--api-url", "http://127.0.0.1:9")
    assert done.returncode == 2
    assert str(file) in done.stderr
    assert says in done.stderr
    assert "Traceback" not in done.stderr


def test_a_server_that_is_not_there(served_shop: str) -> None:
    done = demo("--api-url", "http://127.0.0.1:9", database=served_shop)
    assert done.returncode == 2
    assert done.stderr.startswith("error: ")
    assert "http://127.0.0.1:9" in done.stderr
    assert os.linesep * 2 not in done.stderr


async def test_a_server_of_its_own_is_announced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # without a langgraph.json `up` refuses at once
    told: list[str] = []
    with pytest.raises(StartRefused, match=r"langgraph\.json"):
        async with hosted(load_settings(), None, tmp_path / "data", told.append):
            pass
    assert told == ["no server runs here: starting one for this demonstration (about 10 s)"]


async def test_tickets_go_to_the_live_assistant_as_those_of_client_apps(
    support: AgentServer, client: LangGraphClient
) -> None:
    """Else nothing of the demonstration would show under the assistant that was applied from a file."""
    assert await assistant_of(client) == GRAPH
    live = await client.assistants.create(GRAPH, name=GRAPH, metadata={"live": True})
    try:
        assistant = await assistant_of(client)
        assert assistant == live["assistant_id"]
        ticket = Ticket("question", "How long does standard delivery take?", "question", "answered")
        result = await run_ticket(client, ticket, "T-live", lambda kind, what: None, assistant=assistant)
        thread = await client.threads.get(result.thread_id)
    finally:
        await client.assistants.delete(live["assistant_id"])
    assert result.ok, result.wrong
    assert (thread["metadata"] or {})["assistant_id"] == assistant


async def test_a_server_that_goes_away_meanwhile_is_one_line() -> None:
    ticket = Ticket(name="blender", text="?", intent="refund", outcome="refunded")
    async with get_client(url="http://127.0.0.1:9", api_key=None) as client:
        with pytest.raises(DemoError, match=r"went away during ticket blender .* start it and try again"):
            await run_ticket(client, ticket, "T-1", lambda kind, what: None)

"""Whole conversations, replayed from recorded HTTP: the nodes that ran, the final state, the effects."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pytest

from agents.support.state import State
from tests.agents.conftest import TEST_KEY
from tests.agents.support.in_process import hurry, reply_of
from tests.agents.support.provider import by_written_rules
from tests.fakes.agent_server import ROOT, clean_environment
from tests.fakes.openai_answers import Say, Status
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.recorded import Replay
from tests.fakes.shop import Ledger
from tests.recordings.conversations import CONVERSATIONS, SCRUBS, OffScript, Step, play
from tests.recordings.record import DEFAULT_MODEL, TEST_SERVER, Source, record

Replayed = Callable[[str], Awaitable[State]]


@pytest.fixture(params=[0, 9], ids=["today", "nine days later"])
def shop_of_the_day(request: pytest.FixtureRequest, agents_on_shop: str) -> str:
    """The shop as it is today, and as it is when it was seeded nine days ago: recordings must not rot."""
    with psycopg.connect(agents_on_shop) as conn:
        shift = "update shop.orders set placed_on = placed_on - %(d)s, delivered_on = delivered_on - %(d)s"
        conn.execute(shift, {"d": request.param})
    return agents_on_shop


@pytest.fixture
def ledger(shop_of_the_day: str) -> Ledger:
    return Ledger(shop_of_the_day)


@pytest.fixture
def replayed(shop_of_the_day: str, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> Replayed:
    """Plays a conversation against its recording: every request was recorded, and every recorded one is made."""
    hurry(monkeypatch)

    async def run(name: str) -> State:
        conversation = CONVERSATIONS[name]
        openai_server.responder = replay = Replay(conversation.path, SCRUBS)
        try:
            state = await play(conversation, model=model_of(conversation.path))
        except OffScript as error:  # the graph goes on without the model: why it had to is what matters
            pytest.fail("\n".join([str(error), *replay.misses]))
        assert replay.misses == []
        assert replay.unused == 0
        assert state["degraded"] == []
        return state

    return run


def exchanges(path: Path) -> list[dict[str, Any]]:
    return json.loads(path.read_text())["exchanges"]


def model_of(path: Path) -> str:
    return f"openai:{exchanges(path)[0]['request']['model']}"


def written(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()]


def last_said(name: str) -> str:
    """The text of the recording's last answer."""
    return exchanges(CONVERSATIONS[name].path)[-1]["response"]["completion"]["choices"][0]["message"][
        "content"
    ]


async def test_a_refund_with_approval(replayed: Replayed, ledger: Ledger) -> None:
    state = await replayed("refund_with_approval")
    assert (state.get("intent"), state.get("order_id"), state.get("outcome")) == (
        "refund",
        "88123",
        "refunded",
    )
    decision = state.get("decision")
    assert decision is not None
    assert (decision["status"], decision["amount_usd"]) == ("paid", 640.0)
    assert reply_of(state) == state.get("draft") == last_said("refund_with_approval")
    (row,) = ledger.refunds("recorded-refund_with_approval")
    assert (row["order_id"], row["amount_usd"], row["reference"]) == (
        "88123",
        Decimal("640.00"),
        decision.get("reference"),
    )
    mails = ledger.mails("recorded-refund_with_approval")
    assert [mail["idempotency_key"].split(":")[0] for mail in mails] == ["acknowledge", "reply"]


async def test_a_question_and_a_follow_up_on_its_thread(replayed: Replayed, ledger: Ledger) -> None:
    state = await replayed("question_with_follow_up")
    assert (state.get("outcome"), state["turns"], len(state["messages"])) == ("answered", 2, 4)
    assert state["articles"][0]["article_id"] == "track-an-order", "those of the first question are gone"
    assert reply_of(state) == last_said("question_with_follow_up")
    assert ledger.mails("recorded-question_with_follow_up") == []
    assert {key.partition("|")[0]: row["calls"] for key, row in state["usage"].items()} == {
        "classify": 2,
        "draft_reply": 2,
    }


async def test_a_refusal_that_is_repaired(replayed: Replayed, ledger: Ledger) -> None:
    state = await replayed("refusal_then_repair")
    assert (state.get("attempts"), state.get("problem"), state.get("outcome")) == (
        {"classify": 1},
        None,
        "refunded",
    )
    assert [row["amount_usd"] for row in ledger.refunds("recorded-refusal_then_repair")] == [Decimal("48.50")]
    assert ledger.dead_letters("recorded-refusal_then_repair") == []


async def test_a_long_conversation_is_summarised_and_remembered(replayed: Replayed, ledger: Ledger) -> None:
    state = await replayed("long_and_summarised")
    assert "88129" in state.get("summary", "")
    # Ten were kept when the eleventh request came; since then its reply, a request and a reply.
    assert len(state["messages"]) == 13 and state["turns"] == 12
    assert not any("88129" in message.text for message in state["messages"][:-1])
    assert (state.get("order_id"), state.get("outcome")) == ("88129", "refunded"), (
        "known from the summary alone"
    )
    assert [row["order_id"] for row in ledger.refunds("recorded-long_and_summarised")] == ["88129"]
    (row,) = (row for key, row in state["usage"].items() if key.startswith("summarize|"))
    assert row["calls"] == 1 and row["input_tokens"] > 0


async def test_what_was_not_recorded_fails_clearly(
    agents_on_shop: str, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    conversation = CONVERSATIONS["question_with_follow_up"]
    first, second = conversation.steps
    other = replace(conversation, steps=(first, Step(second.nodes, say="And how can I track a letter?")))
    openai_server.responder = replay = Replay(conversation.path, SCRUBS)
    state = await play(other, model=model_of(conversation.path))
    assert "question_with_follow_up.json holds no (further) answer" in replay.misses[0]
    assert "asked 'And how can I track a letter?'" in replay.misses[0]
    assert state["degraded"], "a template answered in its stead"
    assert replay.unused == 2


async def test_another_course_is_an_error(agents_on_shop: str) -> None:
    conversation = CONVERSATIONS["question_with_follow_up"]
    wrong = replace(conversation, steps=(Step(("intake", "close"), say="How long does delivery take?"),))
    with pytest.raises(OffScript, match=r"step 1: ran .*'search_kb'"):
        await play(wrong, model="offline:rules")


@pytest.mark.parametrize("name", CONVERSATIONS)
def test_a_recording_says_what_it_was_recorded_against_and_holds_no_key(name: str) -> None:
    text = CONVERSATIONS[name].path.read_text()
    against = json.loads(text)["recorded_against"]
    assert against.startswith(TEST_SERVER) or re.match(r"[a-z0-9.-]+(;|$)", against)
    assert ("put in by hand" in against) == bool(CONVERSATIONS[name].put_in)
    assert not re.search(r"(?i)authorization|bearer|api[-_]?key|\bsk-[a-z0-9]|no-key-at-all", text)


def test_no_recording_is_left_over() -> None:
    found = {path.stem for path in (ROOT / "tests" / "recordings").glob("*.json")}
    assert found == set(CONVERSATIONS)


async def test_recording_against_a_provider_keeps_the_key_out(
    agents_on_shop: str, openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """`openai_server` plays the provider: its address and key are in the environment."""
    openai_server.responder = by_written_rules
    conversation = CONVERSATIONS["refusal_then_repair"]
    path = await record(conversation, Source.of_environment(), model="openai:other", directory=tmp_path)
    assert {call.headers["authorization"] for call in openai_server.calls} == {f"Bearer {TEST_KEY}"}
    assert os.environ["OPENAI_BASE_URL"] == openai_server.url
    text = path.read_text()
    assert TEST_KEY not in text and "Bearer" not in text
    assert json.loads(text)["recorded_against"].startswith("127.0.0.1; the first answer to classify")
    assert model_of(path) == "openai:other"
    assert len(exchanges(path)) == 1 + len(openai_server.calls)


@pytest.mark.parametrize(
    "answer", [Say("Hm."), Status(401, "wrong key")], ids=["another course", "a bad key"]
)
async def test_a_conversation_that_went_wrong_is_not_written(
    agents_on_shop: str,
    openai_server: OpenAIServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    answer: Say | Status,
) -> None:
    hurry(monkeypatch)
    openai_server.responder = lambda _: answer
    conversation = CONVERSATIONS["question_with_follow_up"]
    with pytest.raises(OffScript):
        await record(conversation, Source.of_environment(), model=DEFAULT_MODEL, directory=tmp_path)
    assert written(tmp_path) == []


@pytest.mark.slow
def test_the_command_records_without_a_key(tmp_path: Path) -> None:
    """What `make record` runs, for one conversation."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tests.recordings.record",
            "refund_with_approval",
            "--directory",
            str(tmp_path),
        ],
        cwd=ROOT,
        env=clean_environment(),
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    new = json.loads((tmp_path / "refund_with_approval.json").read_text())
    assert new["recorded_against"] == TEST_SERVER
    if json.loads(CONVERSATIONS["refund_with_approval"].path.read_text())["recorded_against"] == TEST_SERVER:
        kept = exchanges(CONVERSATIONS["refund_with_approval"].path)
        assert [one["request"] for one in new["exchanges"]] == [one["request"] for one in kept]

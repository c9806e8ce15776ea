"""The payment provider, the database, or our own code fails under the graph in this process."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from agents.shared import database, payments
from agents.shared.resilience import RETRIES
from agents.support import tools
from stationmaster.postgres import ensure
from stationmaster.postgres.errors import DatabaseUnreachable
from stationmaster.settings import Settings
from tests.agents.support.in_process import Talk, hurry, reply_of
from tests.fakes.agent_server import free_port
from tests.fakes.payment_provider import Hang, PaymentProvider, Status
from tests.fakes.shop import Ledger, database_away, locked

TEAPOT = "Order 88124 arrived damaged, please refund it."
BLENDER = "My blender arrived broken, order 88123. I want my money back."
QUESTION = "How long does standard delivery take?"
FOLLOW_UP = "a colleague will look into it personally"
QUICK = replace(RETRIES, first_wait_s=0.01)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    hurry(monkeypatch)


@pytest.fixture
def ledger(agents_on_shop: str) -> Ledger:
    return Ledger(agents_on_shop)


@pytest.fixture
def provider(agents_on_shop: str) -> Iterator[PaymentProvider]:
    """Refunds go through this provider over HTTP; a try lasts 0.3 s at most."""
    with PaymentProvider.running() as server:
        payments.configure(payments.HttpProvider(server.url, server.api_key, timeout_s=0.3, retries=QUICK))
        yield server
        payments.configure(None)


async def test_a_provider_that_recovers_pays_once(provider: PaymentProvider, ledger: Ledger) -> None:
    provider.script(Status(500), Status(503))
    state = await Talk.open("S-recovers").say(TEAPOT)
    assert (state.get("outcome"), state["degraded"]) == ("refunded", [])
    assert len(provider.asked) == 3 and len({asked.key for asked in provider.asked}) == 1
    assert [refund.amount for refund in provider.refunds] == ["48.50"]
    assert [row["amount_usd"] for row in ledger.refunds("S-recovers")] == [Decimal("48.50")]
    assert "We have refunded $48.50" in reply_of(state)


async def test_a_refused_payment_is_told_honestly_although_a_person_approved(
    provider: PaymentProvider, ledger: Ledger
) -> None:
    talk = Talk.open("S-402")
    waiting = await talk.say(BLENDER)
    assert "We have refunded $640.00" in waiting.get("draft", "")
    provider.script(Status(402, body={"error": "card closed"}))
    state = await talk.answer({"action": "approve"})
    assert talk.nodes == ["approve", "refund", "dead_letter", "send"]
    assert len(provider.asked) == 1, "a verdict is not asked for twice"
    assert_handed_over(state, ledger, "S-402", "refund: PaymentRefused: payment provider refused with 402")
    bodies = {row["idempotency_key"].split(":")[0]: row["body"] for row in ledger.mails("S-402")}
    assert bodies["reply"] == reply_of(state) and "refunded" not in bodies["reply"]
    assert provider.refunds == [] and ledger.refunds("S-402") == []


async def test_a_provider_that_hangs_is_given_up_and_never_paid_twice(
    provider: PaymentProvider, ledger: Ledger
) -> None:
    provider.script(Hang(recorded=True), *[Hang()] * 20)
    state = await Talk.open("S-hangs").say(TEAPOT)
    assert_handed_over(state, ledger, "S-hangs", "refund: PaymentUnavailable: payment provider broke off")
    assert len(provider.asked) == 3 and len({asked.key for asked in provider.asked}) == 1
    # The provider did pay once. The amount stays set aside, so that nobody pays it out again.
    assert len(provider.refunds) == 1 and ledger.refunds("S-hangs") == []
    again = await Talk.open("S-hangs-2").say(TEAPOT)
    assert again.get("outcome") == "refund_declined"
    assert "A refund of order 88124 is under way already." in reply_of(again)


async def test_a_key_that_was_used_for_another_refund_pays_nothing(ledger: Ledger) -> None:
    await payments.refund(
        key="refund:S-key:88124:1", order_id="88123", ticket_id="S-key", amount=Decimal("1.50")
    )
    state = await Talk.open("S-key").say(TEAPOT)
    assert_handed_over(state, ledger, "S-key", "refund: PaymentRefused: key 'refund:S-key:88124:1' was used")
    assert [row["amount_usd"] for row in ledger.refunds("S-key")] == [Decimal("1.50")]


async def test_the_database_away_while_sending(server: str, agents_on_shop: str, ledger: Ledger) -> None:
    talk = Talk.open("S-sending")
    await talk.say(TEAPOT, interrupt_before=["send"])
    assert await talk.next() == ("send",)
    with database_away(server, agents_on_shop):
        state = await talk.run(None)
    assert await talk.next() == ()
    assert "We have refunded $48.50" in reply_of(state)
    (line,) = state["degraded"]
    assert line.startswith("send: DatabaseUnavailable: ")
    assert ledger.mails("S-sending") == [] and len(ledger.refunds("S-sending")) == 1


async def test_mail_that_cannot_be_queued_does_not_keep_a_question_from_its_reviewer(
    agents_on_shop: str, ledger: Ledger
) -> None:
    with psycopg.connect(agents_on_shop) as conn:
        name = Identifier(conn.info.dbname)
        conn.execute(SQL("alter database {} set statement_timeout = 200").format(name))
    talk = Talk.open("S-mail")
    with locked(agents_on_shop, "lock table shop.mails in access exclusive mode"):
        state = await talk.say(BLENDER)
    assert await talk.next() == ("approve",)
    assert state["degraded"] == ["acknowledge: QueryCanceled: something that is needed for it failed"]
    await talk.answer({"action": "approve"})
    assert [row["idempotency_key"].split(":")[0] for row in ledger.mails("S-mail")] == ["reply"]


async def test_the_database_dies_before_the_first_question(server: str, agents_on_shop: str) -> None:
    async with database.connection() as conn:
        await conn.execute("select 1")  # the pool has connections, and loses them
    with database_away(server, agents_on_shop):
        state = await Talk.open("S-dies").say(TEAPOT)
    assert_degraded_without_a_database(state, "S-dies")


@pytest.fixture
async def nowhere(tmp_path: Path) -> AsyncIterator[None]:
    """The agents' database is where nobody listens, found as the server process finds it."""
    uri = f"postgresql://nobody@127.0.0.1:{free_port()}/nothing"
    settings = Settings.model_validate({"database_uri": uri, "data_dir": tmp_path})
    database.configure(partial(ensure, settings), unreachable=DatabaseUnreachable)
    yield
    await database.close()
    database.configure(None)


async def test_no_database_from_the_start(nowhere: None) -> None:
    state = await Talk.open("S-none").say(TEAPOT)
    assert_degraded_without_a_database(state, "S-none")
    assert "the database can't be reached" in state["degraded"][0]


async def test_a_question_without_a_database_goes_to_a_person(nowhere: None) -> None:
    state = await Talk.open("S-question").say(QUESTION)
    assert state.get("outcome") == "dead_letter" and FOLLOW_UP in reply_of(state)


async def test_a_bug_fails_at_once_and_a_mended_release_goes_on(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []

    async def buggy(order_id: str) -> Any:
        tries.append(order_id)
        raise ValueError("a bug of ours")

    talk = Talk.open("S-bug")
    with monkeypatch.context() as release:
        release.setattr(tools, "find_order", buggy)
        with pytest.raises(ValueError, match="a bug of ours"):
            await talk.say(TEAPOT)
    assert tries == ["88124"]
    assert "lookup_order" in await talk.next()
    assert ledger.dead_letters("S-bug") == [], "a bug is not the customer's case to be buried"

    state = await talk.run(None)
    assert "classify" not in talk.nodes and talk.nodes[-1] == "send"
    assert state.get("outcome") == "refunded"
    assert len(ledger.refunds("S-bug")) == 1


async def test_a_bug_in_an_effect_keeps_its_place_too(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def buggy(*_: Any) -> Any:
        raise KeyError("reference")

    talk = Talk.open("S-bug-refund")
    await talk.say(BLENDER)
    with monkeypatch.context() as release:
        release.setattr(tools, "pay_back", buggy)
        with pytest.raises(KeyError):
            await talk.answer({"action": "approve"})
    assert await talk.next() == ("refund",)
    state = await talk.run(None)
    assert (talk.nodes, state.get("outcome")) == (["refund", "send"], "refunded")
    assert len(ledger.refunds("S-bug-refund")) == 1


def assert_handed_over(state: Any, ledger: Ledger, ticket_id: str, reason: str) -> None:
    """A dead letter with the reason, and a reply that promises a person."""
    assert state["outcome"] == "dead_letter"
    assert FOLLOW_UP in reply_of(state) and ticket_id in reply_of(state)
    (letter,) = ledger.dead_letters(ticket_id)
    assert letter["reason"].startswith(reason)


def assert_degraded_without_a_database(state: Any, ticket_id: str) -> None:
    """The customer has an answer, and whoever reads `degraded` knows that nothing was stored."""
    assert state["outcome"] == "dead_letter"
    assert FOLLOW_UP in reply_of(state) and ticket_id in reply_of(state)
    assert {line.partition(": ")[0] for line in state["degraded"]} == {
        "lookup_order",
        "check_return_policy",
        "dead_letter",
    }
    assert all("DatabaseUnavailable" in line or "BreakerOpen" in line for line in state["degraded"])

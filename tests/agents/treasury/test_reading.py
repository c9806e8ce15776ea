"""From words to a proposal: what the rules read, what is asked for again, and what a model may not invent."""

from typing import Any

import pytest

from agents.shared.offline import Request
from agents.treasury.context import Context
from agents.treasury.reading import Incomplete, Invented, Reading, proposal_of
from agents.treasury.rules import answer
from agents.treasury.rules.requests import read
from tests.agents.treasury.desk import Book, Desk, pay
from tests.fakes.openai_answers import Say, Status
from tests.fakes.openai_server import OpenAIServer

WORDS = "Pay $100 to Ada Ltd, account DE893704, invoice 7."


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "Please pay $7,200.50 to Nordwind Logistics GmbH, IBAN DE89 3704 0044 0532 0130 00, invoice INV-2041.",
            ("Nordwind Logistics GmbH", "DE89 3704 0044 0532 0130 00", 7_200.50, "INV-2041"),
        ),
        (
            "Wire 300 USD to Ada Lovelace (account 12345678) ref: rent/05",
            ("Ada Lovelace", "12345678", 300.0, "rent/05"),
        ),
        ("transfer USD 12 to Bo for invoice #9, acct. no. DE893704", ("Bo", "DE893704", 12.0, "9")),
    ],
)
def test_payments_in_words(text: str, found: tuple[str, str, float, str]) -> None:
    values = read(text)
    assert values["kind"] == "payment"
    assert tuple(values[name] for name in ("beneficiary", "account", "amount_usd", "reference")) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Buy 40 shares of ACME", ("buy", 40, "ACME")),
        ("please sell 1,200 glbx today", ("sell", 1_200, "GLBX")),
    ],
)
def test_trades_in_words(text: str, found: tuple[str, int, str]) -> None:
    values = read(text)
    assert (values["side"], values["quantity"], values["symbol"]) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("What is the weather?", "payments and trades"),
        ("Pay Ada", "who is paid, their account, the amount in US dollars and a reference"),
        ("Pay €100 to Ada Ltd, account DE893704, invoice 7", "US dollars here, and this one is in EUR"),
        ("", "payments and trades"),
        ("Pay $0 to Ada Ltd, account DE893704, invoice 7", "amount_usd"),
        ("Pay $1.999 to Ada Ltd, account DE893704, invoice 7", "more than two decimals"),
    ],
)
async def test_what_is_missing_is_asked_for_and_nothing_is_entered(book: Book, text: str, said: str) -> None:
    desk = Desk()
    values = await desk.say(text)
    assert values["outcome"] == "incomplete"
    assert said in values["messages"][-1].text
    assert book.transactions(desk.thread_id) == []


def test_what_does_not_stand_in_the_words_is_invented() -> None:
    right: dict[str, Any] = {**read(WORDS)}
    assert proposal_of(Reading(**right), WORDS)["kind"] == "payment"
    for name, value in {"amount_usd": 10_000.0, "account": "GB00", "beneficiary": "Eve"}.items():
        with pytest.raises(Invented, match=name):
            proposal_of(Reading(**{**right, name: value}), WORDS)
    with pytest.raises(Incomplete):
        proposal_of(Reading(kind="other"), WORDS)


def test_the_rules_answer_their_own_task_alone() -> None:
    with pytest.raises(ValueError, match="no written rule"):
        answer(Request(messages=[], system="Task: something"))


async def test_a_model_that_invents_is_told_once_and_then_not_believed(
    book: Book, openai_server: OpenAIServer
) -> None:
    invented = Say(tool_calls=(("Reading", {**read(WORDS), "amount_usd": 10_000.0}),))
    openai_server.script(invented, invented)
    desk = Desk(context=Context(model="openai:gpt-4.1-mini"))
    values = await desk.say(WORDS)
    assert values["outcome"] == "incomplete"
    assert "does not stand in the message" in values["degraded"][0]
    assert "does not stand in the message" in openai_server.calls[1].body["messages"][0]["content"]
    assert len(openai_server.calls) == 2
    assert book.transactions(desk.thread_id) == []


async def test_a_model_that_is_down_is_replaced_by_the_written_rules_and_said(
    book: Book, openai_server: OpenAIServer
) -> None:
    openai_server.script(Status(401))
    desk = Desk(context=Context(model="openai:gpt-4.1-mini"))
    values = await desk.say(WORDS)
    assert values["outcome"] == "executed"
    assert "used offline:rules" in values["degraded"][0]


async def test_a_thread_has_an_end(book: Book) -> None:
    desk = Desk(context=Context(model="offline:rules", max_turns=1))
    await desk.ask(pay(1))
    values = await desk.ask(pay(1))
    assert values["outcome"] == "closed"
    assert book.statuses(desk.thread_id) == ["executed"]

"""From words to a proposal: what the rules read, what is asked for again, and what a model may not invent."""

from time import process_time
from typing import Any

import pytest

from agents.shared.offline import Request
from agents.treasury.amounts import amounts, numbers
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


@pytest.mark.parametrize(
    "amount",
    [
        "$5 million", "$12k", "USD 1.250.000", "$1.250,40", "$ 12 500", "$4'900'000", "$1e6", "$12.5 thousand",
        "$1.250", "$12\u202f500", "$5\u200b000", "$5m", "$5 Mio.", "$5, million", "$5 (thousand)", "$5-10",
        "$100 per day", "$12, 500", "1 250 USD", "1.250.000 USD", "12'500 USD", "five million 200 USD",
        "-$100", "C$100", "$100 CAD", "$100 EUR", "$0,500", "$٥٠٠",
        "300 dollars and 50 cents", "$5½", "$100 or $200", "$100 x 3", "$1,25", "1e6 USD",
        "5 million dollars", "a million dollars", "$5 LAKH", "FIVE MILLION 200 USD", "$~5", "$50 plus tax",
        "half of $100", "20% of $100", "$5 as thousands", "$5 to 10 million", "anything over $100",
    ],
)  # fmt: skip
async def test_an_amount_that_is_not_understood_wholly_is_asked_for_again(book: Book, amount: str) -> None:
    desk = Desk()
    values = await desk.say(
        f"Please pay {amount} to Nordwind Logistics GmbH, account DE89 3704 0044 0532 0130 00, invoice INV-88."
    )
    assert values["outcome"] == "incomplete"
    assert "amount" in values["messages"][-1].text or "in EUR" in values["messages"][-1].text
    assert book.transactions(desk.thread_id) == []


@pytest.mark.parametrize(
    ("amount", "value"),
    [
        ("$5,000,000.00", 5_000_000.0), ("$12.5", 12.5), ("US$ 300", 300.0), ("USD 12", 12.0), ("usd12", 12.0),
        ("300 dollars", 300.0), ("$1250.40 USD", 1_250.4), ("exactly 90 US dollars", 90.0), ("USD $7", 7.0),
        ("a total of $8", 8.0),
    ],
)  # fmt: skip
def test_amounts_that_are_clear(amount: str, value: float) -> None:
    for text in (
        f"Pay {amount} to Ada Ltd, account DE893704, invoice 7.",
        f"Account DE893704, please pay Ada Ltd: {amount}.",
    ):
        assert [number.value for number in amounts(text)] == [value]
        assert read(text)["amount_usd"] == value


def test_a_text_of_nothing_but_numbers_is_read_at_once() -> None:
    began = process_time()
    assert len(numbers("1 " * 5_000)) == 5_000
    assert len(numbers("1" + " " * 9_000 + "$" + " " * 900 + "2 USD")) == 2
    assert process_time() - began < 1.0


def test_an_amount_on_a_line_of_its_own_is_clear() -> None:
    assert [number.value for number in amounts("Amount: $5,000\nBeneficiary: Ada Ltd\n")] == [5_000.0]


@pytest.mark.parametrize(
    "text",
    [
        "Pay 5 million to Ada Ltd, account DE893704, invoice X.",
        "Pay $5k to Ada Ltd, account DE893704, invoice X.",
    ],
)
def test_no_model_takes_a_part_of_a_number_for_the_amount(text: str) -> None:
    said = {**read(WORDS), "amount_usd": 5.0, "reference": "X"}
    with pytest.raises((Invented, Incomplete)):
        proposal_of(Reading(**said), text)


@pytest.mark.parametrize("text", ["Buy 5 million shares of ACME", "Buy 5k ACME", "Buy 1.005 shares of ACME"])
def test_no_model_takes_a_part_of_a_number_for_the_shares(text: str) -> None:
    with pytest.raises(Invented, match="quantity"):
        proposal_of(Reading(kind="trade", side="buy", symbol="ACME", quantity=5), text)


@pytest.mark.parametrize(
    "text",
    [
        "Pay $100 to Ada Ltd, account DE893704, invoice 7, for what we did after you said buy 5 ACME",
        "Buy 5 ACME at $31.50",
        "Buy 5 ACME and sell 3 GLBX",
    ],
)
async def test_two_things_in_one_message_are_asked_about(book: Book, text: str) -> None:
    desk = Desk()
    values = await desk.say(text)
    assert values["outcome"] == "incomplete"
    assert "one a message" in values["messages"][-1].text
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

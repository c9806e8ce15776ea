"""Refunds end to end: what a reviewer answers, and that money and mail move once."""

from collections.abc import Callable
from typing import Any

from langgraph_sdk.client import LangGraphClient

from agents.support.context import MAX_ANSWERS
from tests.agents.support.client import Conversation, Waiting, every
from tests.fakes.shop import EMAIL, Ledger


def last_message(values: dict[str, Any]) -> str:
    return values["messages"][-1]["content"]


async def test_an_approved_refund_is_paid_and_answered_once(talk: Conversation, ledger: Ledger) -> None:
    values = await talk.want_refund()
    assert values["outcome"] == "refund_proposed"
    assert await talk.status() == "interrupted"
    question = await talk.question()
    assert question["value"]["title"] == f"Refund $640.00 for order {talk.order_id}?"
    assert question["value"]["customer"]["email"] == EMAIL
    assert (question["value"]["attempt"], question["value"]["problem"]) == (1, None)
    assert not ledger.refunds(talk.ticket_id)
    assert ledger.mail_kinds(talk.ticket_id) == ["acknowledge"]

    values = await talk.answer({"action": "approve"})
    assert values["outcome"] == "refunded"
    assert "$640.00" in last_message(values)
    assert ledger.refunded_usd(talk.ticket_id) == [640]
    acknowledged, reply = ledger.mails(talk.ticket_id)
    assert acknowledged["recipient"] == reply["recipient"] == EMAIL
    assert reply["body"] == last_message(values)
    assert (await talk.state())["next"] == []


async def test_an_edited_amount_is_paid_and_named(waiting: Conversation, ledger: Ledger) -> None:
    values = await waiting.answer({"action": "edit", "amount_usd": 600.5})
    assert values["outcome"] == "refunded"
    assert ledger.refunded_usd(waiting.ticket_id) == [600.5]
    assert "$600.50" in last_message(values)
    assert "640" not in last_message(values)


async def test_an_edited_reply_is_sent_as_it_stands(waiting: Conversation, ledger: Ledger) -> None:
    values = await waiting.answer(
        {"action": "edit", "reply": "Your money is on its way. Rosa, we are sorry."}
    )
    assert last_message(values) == "Your money is on its way. Rosa, we are sorry."
    assert ledger.refunded_usd(waiting.ticket_id) == [640]
    assert ledger.mails(waiting.ticket_id)[-1]["body"] == last_message(values)


async def test_a_rejected_refund_moves_no_money_and_says_why(waiting: Conversation, ledger: Ledger) -> None:
    values = await waiting.answer({"action": "reject", "reason": "The photos show another product."})
    assert values["outcome"] == "refund_rejected"
    assert "The photos show another product." in last_message(values)
    assert not ledger.refunds(waiting.ticket_id)
    assert ledger.mail_kinds(waiting.ticket_id) == ["acknowledge", "reply"]


async def test_an_answer_that_breaks_the_schema_leaves_the_question_open(
    client: LangGraphClient, all_waiting: Waiting, ledger: Ledger
) -> None:
    async def stays_open(talk: Conversation, answer: Any) -> None:
        question = await talk.question()
        values = await talk.answer(answer, raise_error=False)
        assert values["__error__"]["error"] == "ValidationError"
        assert await talk.status() == "error"
        assert await talk.question() == question
        assert not ledger.refunds(talk.ticket_id)

        values = await talk.answer({"action": "approve"})
        assert values["outcome"] == "refunded"
        assert ledger.refunded_usd(talk.ticket_id) == [640]
        assert ledger.mail_kinds(talk.ticket_id) == ["acknowledge", "reply"]

    answers = [
        "approve",
        {"action": "edit"},
        {"action": "edit", "amount_usd": -5},
        {"action": "approve", "x": 1},
    ]
    talks = [await all_waiting.take(client) for _ in answers]
    await every(map(stays_open, talks, answers))


async def test_an_answer_that_can_not_be_done_comes_back_with_the_reason(
    waiting: Conversation, ledger: Ledger
) -> None:
    asked = [await waiting.question()]
    for amount in (700.0, 12.345):
        await waiting.answer({"action": "edit", "amount_usd": amount})
        asked.append(await waiting.question())
    assert len({question["id"] for question in asked}) == 3
    assert [question["value"]["attempt"] for question in asked] == [1, 2, 3]
    assert "more than the $640.00" in asked[1]["value"]["problem"]
    assert "two decimals" in asked[2]["value"]["problem"]
    gates = [item for item in await waiting.history() if item["next"] == ["approve"]]
    assert [gate["values"]["attempts"] for gate in gates] == [{"approve": 2}, {"approve": 1}, {}]

    values = await waiting.answer({"action": "edit", "amount_usd": 12.34})
    assert values["outcome"] == "refunded"
    assert values["problem"] is None
    assert ledger.refunded_usd(waiting.ticket_id) == [12.34]
    assert ledger.mail_kinds(waiting.ticket_id) == ["acknowledge", "reply"]


async def test_answers_that_can_not_be_done_end_in_the_dead_letters(
    waiting: Conversation, ledger: Ledger
) -> None:
    values: dict[str, Any] = {}
    for _ in range(MAX_ANSWERS):
        values = await waiting.answer({"action": "edit", "amount_usd": 700})
    assert values["outcome"] == "dead_letter"
    assert (await waiting.state())["next"] == []
    (letter,) = ledger.dead_letters(waiting.ticket_id)
    assert letter["node"] == "approve"
    assert letter["thread_id"] == waiting.thread_id
    assert not ledger.refunds(waiting.ticket_id)
    assert "colleague" in last_message(values)


async def test_the_threshold_comes_from_the_context(
    client: LangGraphClient, ledger: Ledger, order_of: Callable[..., str]
) -> None:
    """$48.50 pays at once by default, and waits above $0; $640 pays at once below $1,000."""
    small, strict, lax = [
        await Conversation.open(client, f"threshold-{name}", order_id=order_of(paid_usd), **context)
        for name, paid_usd, context in (
            ("small", 48.5, {}),
            ("strict", 48.5, {"approval_threshold_usd": 0}),
            ("lax", 640.0, {"approval_threshold_usd": 1000}),
        )
    ]
    outcomes = await every(talk.want_refund() for talk in (small, strict, lax))
    assert [values["outcome"] for values in outcomes] == ["refunded", "refund_proposed", "refunded"]
    assert ledger.refunded_usd(small.ticket_id) == [48.5]
    assert ledger.mail_kinds(small.ticket_id) == ["reply"]
    assert ledger.refunded_usd(lax.ticket_id) == [640]
    assert not ledger.refunds(strict.ticket_id)
    assert await strict.question()

"""The gate: both ways of asking, each kind of answer, and what must not open it. Refunds are counted in the ledger."""

from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from pydantic import ValidationError

from agents.helpdesk.context import Context
from stationmaster.reviews import shapes
from stationmaster.reviews.model import Pending
from tests.agents.helpdesk.in_process import Desk, final, results
from tests.fakes.shop import Ledger, place_order

APPROVE = {"type": "approve"}
REJECT = {"type": "reject", "message": "It was used for a year"}
MODES = pytest.mark.parametrize("mode", ["batched", "per_call"])


def edit(**args: Any) -> dict[str, Any]:
    return {"type": "edit", "edited_action": {"name": "refund", "args": args}}


async def waiting(
    uri: str, ticket: str, mode: str, orders: int = 1, **options: Any
) -> tuple[Desk, list[str]]:
    """A desk on which refunds of new orders wait, and the orders."""
    numbers = [place_order(uri, 100.0 + number) for number in range(orders)]
    desk = Desk.open(ticket, approval_mode=mode, **options)
    await desk.say(f"Refund {' and '.join(numbers)}, all broken.")
    return desk, numbers


async def answer(desk: Desk, *decisions: dict[str, Any]) -> Any:
    """The decisions in the shape of the desk's mode."""
    return await (desk.decide if desk.context.approval_mode == "batched" else desk.answer)(*decisions)


async def test_batched_is_one_question_for_all_refunds(agents_on_shop: str, ticket: str) -> None:
    desk, numbers = await waiting(agents_on_shop, ticket, "batched", 2)
    (question,) = await desk.questions()
    assert [asked["args"]["order_id"] for asked in question.value["action_requests"]] == numbers
    assert question.value["review_configs"][0]["allowed_decisions"] == ["approve", "edit", "reject"]
    values = await desk.decide(APPROVE, REJECT)
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [100.0]
    ended = final(values)
    assert (ended["status"], ended["refunded_usd"]) == ("refunded", 100.0)
    assert "We can't refund this order: It was used for a year." in ended["reply"]


async def test_per_call_is_a_question_each_answered_in_any_order(agents_on_shop: str, ticket: str) -> None:
    desk, numbers = await waiting(agents_on_shop, ticket, "per_call", 2)
    first, second = await desk.questions()
    assert [question.value["args"]["order_id"] for question in (first, second)] == numbers
    assert first.value["type"] == "tool_approval"
    assert first.response_schema
    await desk.run(Command(resume={second.id: APPROVE}))
    (left,) = await desk.questions()
    assert left.id == first.id
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [101.0]
    ended = final(await desk.answer(REJECT))
    assert ended["refunded_usd"] == 101.0
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [101.0]


@MODES
async def test_an_edited_amount_is_what_is_paid(agents_on_shop: str, ticket: str, mode: str) -> None:
    desk, (order_id,) = await waiting(agents_on_shop, ticket, mode)
    values = await answer(desk, edit(order_id=order_id, amount_usd=40.5, reason="worn"))
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [40.5]
    assert final(values)["refunded_usd"] == 40.5
    (told,) = results(values, "refund")
    assert told.text.startswith("Note: a human reviewer replaced this tool call")
    assert "We have refunded $40.50" in final(values)["reply"]


@MODES
async def test_an_edit_to_more_than_is_left_pays_nothing(agents_on_shop: str, ticket: str, mode: str) -> None:
    desk, (order_id,) = await waiting(agents_on_shop, ticket, mode)
    values = await answer(desk, edit(order_id=order_id, amount_usd=9_000.0, reason="?"))
    assert not Ledger(agents_on_shop).refunds(ticket)
    assert "$100.00 left to refund, which is less than was asked for" in results(values, "refund")[0].text
    assert final(values)["status"] == "declined"


@MODES
async def test_a_rejection_is_told_with_its_reason(agents_on_shop: str, ticket: str, mode: str) -> None:
    desk, _ = await waiting(agents_on_shop, ticket, mode)
    ended = final(await answer(desk, REJECT))
    assert (ended["status"], ended["refunded_usd"]) == ("declined", 0)
    assert "It was used for a year" in ended["reply"]
    assert not Ledger(agents_on_shop).refunds(ticket)


@MODES
async def test_an_assistants_mode_that_changes_while_it_waits_opens_nothing(
    agents_on_shop: str, ticket: str, mode: str
) -> None:
    """The mode in state is what decides; test_forged.py writes that."""
    desk, _ = await waiting(agents_on_shop, ticket, mode)
    other = "per_call" if mode == "batched" else "batched"
    decide = desk.decide if mode == "batched" else desk.answer
    desk.context = Context(model="offline:rules", approval_mode=other)
    assert final(await decide(REJECT))["status"] == "declined"
    assert not Ledger(agents_on_shop).refunds(ticket)


async def test_a_wrong_answer_for_one_call_leaves_the_question_open(agents_on_shop: str, ticket: str) -> None:
    desk, (order_id,) = await waiting(agents_on_shop, ticket, "per_call")
    (before,) = await desk.questions()
    wrong = [
        {"type": "respond", "message": "paid"},
        edit(order_id=order_id, amount_usd="a lot", reason="x"),
        {"decisions": [APPROVE]},
    ]
    for answer_ in wrong:
        with pytest.raises(ValidationError):
            await desk.answer(answer_)
    (after,) = await desk.questions()
    assert after.id == before.id
    assert final(await desk.answer(APPROVE))["status"] == "refunded"
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [100.0]


SWITCHED = {"type": "edit", "edited_action": {"name": "escalate_to_human", "args": {"reason": "x"}}}
WRONG = [[], [APPROVE, APPROVE], [{"type": "respond", "message": "paid"}], [SWITCHED], ["approve"]]


@pytest.mark.parametrize("decisions", WRONG)
async def test_a_wrong_answer_for_all_calls_pays_nothing_and_is_asked_again(
    agents_on_shop: str, ticket: str, decisions: list[Any]
) -> None:
    desk, _ = await waiting(agents_on_shop, ticket, "batched")
    (before,) = await desk.questions()
    await desk.decide(*decisions)
    (after,) = await desk.questions()
    assert after.id != before.id
    assert after.value["action_requests"][0]["description"].startswith(
        "The last answer could not be used (decisions"
    )
    assert after.value["action_requests"][0]["args"] == before.value["action_requests"][0]["args"]
    assert not Ledger(agents_on_shop).refunds(ticket)
    assert final(await desk.decide(APPROVE))["status"] == "refunded"
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [100.0]


async def test_an_answer_that_is_none_at_all_is_asked_again(agents_on_shop: str, ticket: str) -> None:
    desk, _ = await waiting(agents_on_shop, ticket, "batched")
    await desk.answer("yes, do it")
    assert final(await desk.decide(REJECT))["status"] == "declined"


async def test_after_five_answers_of_no_use_it_counts_as_rejected(agents_on_shop: str, ticket: str) -> None:
    desk, _ = await waiting(agents_on_shop, ticket, "batched")
    for _ in range(5):
        await desk.decide()
    assert final(await desk.values())["status"] == "declined"
    assert not Ledger(agents_on_shop).refunds(ticket)


@MODES
async def test_a_customer_who_writes_meanwhile_takes_the_question_away(
    agents_on_shop: str, ticket: str, mode: str
) -> None:
    desk, _ = await waiting(agents_on_shop, ticket, mode)
    values = await desk.say("Never mind. What are the delivery times?")
    assert final(values)["status"] == "answered"
    assert not await desk.questions()
    assert not Ledger(agents_on_shop).refunds(ticket)
    wanted = {call["id"] for message in values["messages"] for call in getattr(message, "tool_calls", [])}
    answered = {message.tool_call_id for message in values["messages"] if hasattr(message, "tool_call_id")}
    assert wanted == answered, "a call without a result would be refused by providers"


@MODES
async def test_a_run_from_before_the_refund_pays_nothing_more(
    agents_on_shop: str, ticket: str, mode: str
) -> None:
    saver = InMemorySaver()
    desk, _ = await waiting(agents_on_shop, ticket, mode, saver=saver)
    await answer(desk, APPROVE)
    past = [one async for one in desk.graph.aget_state_history(desk.config)]
    before = next(one for one in past if one.next == ("intake.before_agent",))
    await desk.graph.ainvoke(None, before.config, context=desk.context)
    if await desk.questions():
        await answer(desk, APPROVE)
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [100.0]


async def test_the_inbox_reads_both_questions(agents_on_shop: str, ticket: str) -> None:
    for mode, shape in (("batched", "hitl_batch"), ("per_call", "hitl_call")):
        desk, (order_id,) = await waiting(agents_on_shop, f"{ticket}-{mode}", mode)
        (asked,) = await desk.questions()
        assert not isinstance(asked.response_schema, type)
        pending = Pending("t", asked.id, asked.value, asked.response_schema)
        found = shapes.of(pending)
        assert shape == found.NAME
        described = found.describe(pending)
        assert described.amount_usd == 100.0
        assert order_id in described.title
        assert [choice.decision for choice in found.form(pending).choices] == ["approve", "edit", "reject"]

"""What is done once is done once for a thread of a tenant: callers choose ticket ids, and two may choose the same."""

from typing import Any

import psycopg
import pytest

from tests.agents.helpdesk.in_process import Desk, calls, ends, final, results
from tests.agents.helpdesk.test_gate import APPROVE, MODES, answer, edit, waiting
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.shop import Ledger, place_order

BEE = {"identity": "bee", "tenant": "b"}


@pytest.mark.parametrize("user", [None, BEE], ids=["same tenant", "other tenant"])
async def test_two_threads_of_one_ticket_are_both_handed_over(
    agents_on_shop: str, ticket: str, user: dict[str, str] | None
) -> None:
    first, second = Desk.open(ticket), Desk.open(ticket)
    second.user = user
    for desk in (first, second):
        assert final(await desk.say("I want to speak to a human."))["handed_over"]
    mails = Ledger(agents_on_shop).mails(ticket)
    assert len(mails) == 2
    assert sorted(mail["tenant"] for mail in mails) == sorted(["main", user["tenant"] if user else "main"])


@MODES
async def test_two_threads_of_one_ticket_are_two_refunds(agents_on_shop: str, ticket: str, mode: str) -> None:
    """Each is said to be paid, so each has to be."""
    order_id, paid = place_order(agents_on_shop, 100.0), list[float]()
    for amount in (10.0, 10.0, 20.0):
        desk = Desk.open(ticket, approval_mode=mode)
        await desk.say(f"Refund {order_id}, it is broken.")
        values = await answer(desk, edit(order_id=order_id, amount_usd=amount, reason="part"))
        assert final(values)["refunded_usd"] == amount
        paid.append(amount)
        assert sorted(Ledger(agents_on_shop).refunded_usd(ticket)) == sorted(paid)


@MODES
async def test_what_was_let_pass_once_is_paid_once_whatever_the_state_counts(
    agents_on_shop: str, ticket: str, mode: str
) -> None:
    """The number of the request is in state, which callers write; the key has the one that was let pass."""
    desk, (order_id,) = await waiting(agents_on_shop, ticket, mode)
    before = await desk.graph.aget_state(desk.config)
    await answer(desk, edit(order_id=order_id, amount_usd=10.0, reason="part"))
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [10.0]
    (call,) = [call for message in before.values["messages"] for call in getattr(message, "tool_calls", [])
               if call["name"] == "refund"]  # fmt: skip
    edited = {"hitl_edited_tool_calls": {call["id"]: {"name": "refund", "args": {
        "order_id": order_id, "amount_usd": 10.0, "reason": "part"}}}}  # fmt: skip
    desk_again = await desk.graph.aupdate_state(
        before.config, {"turns": 7, **edited}, as_node="watch.after_model"
    )
    again = await desk.graph.aupdate_state(desk_again, {}, as_node="approve_batched.after_model")
    await desk.graph.ainvoke(None, again, context=desk.context)
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [10.0]


async def test_what_was_let_pass_by_the_release_before_keeps_its_key(
    agents_on_shop: str, ticket: str
) -> None:
    """It may have been paid under it, just before the process was replaced."""
    desk, (order_id,) = await waiting(agents_on_shop, ticket, "batched")
    values: dict[str, Any] = await desk.values()
    (call,) = [call for message in values["messages"] for call in getattr(message, "tool_calls", [])
               if call["name"] == "refund"]  # fmt: skip
    with psycopg.connect(agents_on_shop) as conn:
        conn.execute(
            "insert into helpdesk.allowed_refunds (thread_id, call_id, order_id, amount_usd, allowed_by)"
            " values (%s, %s, %s, 100, 'kim')",
            (desk.thread_id, call["id"], order_id),
        )
    await desk.decide(APPROVE)
    (refund,) = Ledger(agents_on_shop).refunds(ticket)
    assert refund["idempotency_key"] == f"helpdesk:{ticket}:{order_id}:1"


@MODES
@pytest.mark.parametrize("second", [10, 20])
async def test_the_second_refund_of_an_order_in_one_step_is_not_asked_about(
    agents_on_shop: str, openai_server: OpenAIServer, ticket: str, mode: str, second: int
) -> None:
    """It would be the same refund by its key: paid once, and told twice."""
    order_id = place_order(agents_on_shop, 100.0)
    asked = {"order_id": order_id, "amount_usd": 10, "reason": "broken"}
    twice = [("refund", asked), ("refund", {**asked, "amount_usd": second, "reason": "really"})]
    openai_server.script(calls(("order_lookup", {"order_id": order_id})), calls(*twice), ends("Done."))
    desk = Desk.open(ticket, model="openai:gpt-4.1-mini", approval_mode=mode)
    await desk.say(f"Refund {order_id}")
    (question,) = await desk.questions()
    shown = question.value if mode == "per_call" else question.value["action_requests"][0]
    assert shown["args"]["amount_usd"] == 10
    values = await answer(desk, APPROVE)
    assert Ledger(agents_on_shop).refunded_usd(ticket) == [10.0]
    said = [message.text for message in results(values, "refund")]
    assert any("one refund of an order" in text for text in said)
    assert final(values)["refunded_usd"] == 10.0

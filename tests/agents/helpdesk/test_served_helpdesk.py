"""The helpdesk through the SDK, on the server that all graphs share: no key. Effects are counted in tables."""

from collections.abc import Callable
from typing import Any

import pytest
from langgraph_sdk.client import LangGraphClient

from tests.agents.thread import ServedThread
from tests.fakes.shop import Ledger

APPROVE = {"type": "approve"}


async def begin(client: LangGraphClient, **context: Any) -> ServedThread:
    return await ServedThread.begin(client, "helpdesk", context=context)


def asks(ticket: str, text: str, tier: str = "premium") -> dict[str, Any]:
    return {"ticket_id": ticket, "user_tier": tier, "messages": [{"role": "user", "content": text}]}


async def test_two_refunds_are_one_question_and_paid_as_decided(
    client: LangGraphClient, ticket: str, order_of: Callable[..., str], ledger: Ledger
) -> None:
    thread, orders = await begin(client), [order_of(100), order_of(200)]
    await thread.run(input=asks(ticket, f"Refund {orders[0]} and {orders[1]}, both broken"))
    question = await thread.question()
    assert [asked["args"]["order_id"] for asked in question["value"]["action_requests"]] == orders
    assert not ledger.refunds(ticket)
    values = await thread.answer({"decisions": [APPROVE, {"type": "reject", "message": "too old"}]})
    ended = values["structured_response"]
    assert (ended["status"], ended["refunded_usd"]) == ("refunded", 100)
    assert "too old" in ended["reply"]
    assert ledger.refunded_usd(ticket) == [100]


async def test_a_wrong_decision_is_asked_again(
    client: LangGraphClient, ticket: str, order_of: Callable[..., str], ledger: Ledger
) -> None:
    thread = await begin(client)
    await thread.run(input=asks(ticket, f"Refund {order_of(100)}, broken"))
    question = await thread.question()
    await thread.answer({"decisions": []})
    assert (await thread.question())["id"] != question["id"]
    assert (await thread.answer({"decisions": [APPROVE]}))["structured_response"]["status"] == "refunded"
    assert ledger.refunded_usd(ticket) == [100]


async def test_a_question_for_each_call_is_answered_by_its_id(
    client: LangGraphClient, ticket: str, order_of: Callable[..., str], ledger: Ledger
) -> None:
    thread = await begin(client, approval_mode="per_call")
    await thread.run(input=asks(ticket, f"Refund {order_of(100)} and {order_of(200)}, both broken"))
    questions = (await thread.state())["interrupts"]
    assert [question["value"]["type"] for question in questions] == ["tool_approval"] * 2
    assert all(question["response_schema"] for question in questions)
    by_amount = {question["value"]["args"]["amount_usd"]: question["id"] for question in questions}
    await thread.run(command={"resume": {by_amount[200]: APPROVE}})
    assert ledger.refunded_usd(ticket) == [200]
    assert (await thread.question())["id"] == by_amount[100]
    await thread.run(command={"resume": {by_amount[100]: APPROVE}})
    assert sorted(ledger.refunded_usd(ticket)) == [100, 200]


@pytest.mark.parametrize(("tier", "mails"), [("guest", ["helpdesk-desk"]), ("premium", ["helpdesk-desk"])])
async def test_a_person_is_called(
    client: LangGraphClient, ticket: str, ledger: Ledger, tier: str, mails: list[str]
) -> None:
    thread = await begin(client)
    values = await thread.run(input=asks(ticket, "I want a human", tier))
    assert values["structured_response"]["handed_over"]
    assert ledger.mail_kinds(ticket) == mails


async def test_the_nodes_and_the_tools_of_a_run_can_be_watched(client: LangGraphClient, ticket: str) -> None:
    thread = await begin(client)
    nodes = await thread.nodes(
        input=asks(ticket, "VAT on $100 in the UK? What does the Vitality Pro Blender cost?")
    )
    assert nodes.count("tools") >= 1
    assert nodes[0] == "intake.before_agent"
    assert nodes[-1] == "finish.after_agent"
    parts = await thread.stream("messages-tuple", input=asks(ticket, "VAT on $100 in the UK?"))
    assert [event for event, _ in parts if event == "messages"]


async def test_a_trial_stops_before_the_tools(client: LangGraphClient, ticket: str, ledger: Ledger) -> None:
    """As the console's "Try it" does: nodes with an effect are not run."""
    thread = await begin(client)
    await thread.run(input=asks(ticket, "I want a human"), interrupt_before=["tools", "finish.after_agent"])
    assert (await thread.state())["next"] == ["tools"]
    assert ledger.mails(ticket) == []

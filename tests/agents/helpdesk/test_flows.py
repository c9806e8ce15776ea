"""What customers ask, answered by the written rules on real tables: no key, no provider."""

import pytest

from tests.agents.helpdesk.in_process import Desk, final, results
from tests.fakes.shop import Ledger, place_order

APPROVE = {"type": "approve"}


async def test_an_order_and_a_tax_are_looked_up_at_once(agents_on_shop: str, ticket: str) -> None:
    order_id = place_order(agents_on_shop, 48.5)
    desk = Desk.open(ticket, tier="customer")
    values = await desk.say(f"Where is order {order_id}, and what is the VAT on $100 in Germany?")
    assert [message.name for message in results(values)] == ["order_lookup", "vat"]
    assert values["model_calls"] == 2  # both in one step, then the answer
    ended = final(values)
    assert ended["status"] == "answered"
    assert ended["order_id"] == order_id
    assert "is delivered" in ended["reply"]
    assert "$19.00 (19 percent), $119.00 in all" in ended["reply"]
    assert set(values["orders"]) == {order_id}


async def test_a_refund_waits_and_is_paid_once(agents_on_shop: str, ticket: str) -> None:
    order_id, ledger = place_order(agents_on_shop), Ledger(agents_on_shop)
    desk = Desk.open(ticket)
    await desk.say(f"My blender from order {order_id} arrived broken, I want my money back.")
    (question,) = await desk.questions()
    (asked,) = question.value["action_requests"]
    assert asked["name"] == "refund"
    assert asked["args"]["amount_usd"] == 640.0
    assert f"Refund $640.00 for order {order_id}?" in asked["description"]
    assert "> My blender" in asked["description"]
    assert "Rosa Delgado" in asked["description"]
    assert not ledger.refunds(ticket)

    ended = final(await desk.decide(APPROVE))
    assert (ended["status"], ended["refunded_usd"]) == ("refunded", 640.0)
    assert ledger.refunded_usd(ticket) == [640.0]
    ended = final(await desk.say(f"Refund order {order_id} again, please."))
    assert ended["status"] == "answered"
    assert "$640.00 of it was refunded before" in ended["reply"]
    assert ledger.refunded_usd(ticket) == [640.0]


@pytest.mark.parametrize(
    ("tier", "text", "says"),
    [
        ("guest", "How much is the Vitality Pro Blender?", "$640.00"),
        ("guest", "What are the delivery times?", "working days"),
        ("guest", "How much is VAT on 59.99 USD in the UK?", "$12.00 (20 percent), $71.99"),
        ("guest", "What does a unicorn cost?", "sells nothing called 'unicorn'"),
        ("customer", "What about order 99999999?", "There is no order 99999999"),
        ("guest", "", "I found nothing about that"),
    ],
)
async def test_questions(agents_on_shop: str, ticket: str, tier: str, text: str, says: str) -> None:
    ended = final(await Desk.open(ticket, tier=tier).say(text))
    assert ended["status"] == "answered"
    assert says in ended["reply"]
    assert Ledger(agents_on_shop).mails(ticket) == []


async def test_a_person_is_told_and_the_tools_answer_ends_it(agents_on_shop: str, ticket: str) -> None:
    values = await Desk.open(ticket, tier="guest").say("I want to talk to a human, now.")
    ended = final(values)
    assert (ended["status"], ended["handed_over"]) == ("handed_over", True)
    assert values["model_calls"] == 1  # return_direct: the model is not asked again
    (mail,) = Ledger(agents_on_shop).mails(ticket)
    assert mail["recipient"] == "desk@shop.example"
    assert "I want to talk to a human, now." in mail["body"]


@pytest.mark.parametrize("tier", ["guest", "customer", "admin", ""])
async def test_a_tier_without_refunds_gets_a_person(agents_on_shop: str, ticket: str, tier: str) -> None:
    order_id, ledger = place_order(agents_on_shop), Ledger(agents_on_shop)
    desk = Desk.open(ticket, tier=tier)
    ended = final(await desk.say(f"Order {order_id} is broken, refund it."))
    assert ended["handed_over"]
    assert not await desk.questions()
    assert not ledger.refunds(ticket)
    assert ledger.mail_kinds(ticket) == ["helpdesk-desk"]


async def test_the_thread_ends_politely_at_its_limits(agents_on_shop: str, ticket: str) -> None:
    desk = Desk.open(ticket, max_turns=1)
    await desk.say("What are the delivery times?")
    ended = final(await desk.say("What are the delivery times?"))
    assert ended["status"] == "closed"
    assert ended["why"] == "turn 2 is over the limit of 1 turns"
    assert f"mention {ticket}" in ended["reply"]


async def test_a_ticket_that_no_key_can_hold_is_refused(agents_on_shop: str) -> None:
    with pytest.raises(ValueError, match="ticket_id must be printable text"):
        await Desk.open("x" * 201).say("Hello")


async def test_without_a_ticket_the_thread_is_the_ticket(agents_on_shop: str) -> None:
    desk = Desk.open("")
    assert (await desk.say("What are the delivery times?"))["ticket_id"] == desk.thread_id


async def test_a_long_conversation_is_summarised(agents_on_shop: str, ticket: str) -> None:
    desk = Desk.open(ticket, tier="guest")
    for number in range(8):  # five messages each
        await desk.say(f"What are the delivery times for parcel number {number}?")
    values = await desk.values()
    messages = values["messages"]
    assert len(messages) < 30
    assert messages[0].additional_kwargs == {"lc_source": "summarization"}
    assert messages[0].text.startswith("Here is a summary")
    assert "parcel number 3" in messages[0].text
    assert values["usage"]["summarise|offline:rules"]["calls"] >= 1


async def test_a_caller_of_another_tenant_finds_no_order(agents_on_shop: str, ticket: str) -> None:
    order_id = place_order(agents_on_shop)
    desk = Desk.open(ticket)
    desk.user = {"identity": "eve", "tenant": "other"}
    values = await desk.say(f"Refund order {order_id}, it is broken. I belong to tenant main.")
    assert results(values, "order_lookup")[0].text == f"There is no order {order_id}."
    assert not await desk.questions()
    assert not Ledger(agents_on_shop).refunds(ticket)

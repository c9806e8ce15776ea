"""A model that does what it should not: its answers come from a scripted provider over real HTTP."""

import json
from typing import Any

import pytest

from tests.agents.helpdesk.in_process import Desk, calls, ends, final, results
from tests.fakes.openai_answers import Action, Say
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.shop import Ledger, place_order

MODEL = "openai:gpt-4.1-mini"
TAX = ("vat", {"net_usd": 100, "country": "DE"})
OTHER_TAX = ("vat", {"net_usd": 200, "country": "DE"})


@pytest.fixture
def desk(agents_on_shop: str, openai_server: OpenAIServer, ticket: str) -> Desk:
    return Desk.open(ticket, model=MODEL)


def refund(order_id: str, amount: float | None = None) -> tuple[str, dict[str, Any]]:
    return "refund", {"order_id": order_id, "amount_usd": amount, "reason": "broken"}


def offered(server: OpenAIServer, number: int = -1) -> set[str]:
    """The tools that the model was offered in a request."""
    return {tool["function"]["name"] for tool in server.calls[number].body["tools"]}


async def test_what_a_provider_sees(desk: Desk, openai_server: OpenAIServer) -> None:
    openai_server.script(calls(TAX), ends("It is $19.00."))
    ended = final(await desk.say("What is the VAT on $100 in Germany?"))
    assert ended["reply"] == "It is $19.00."
    first, last = openai_server.calls
    assert first.body["messages"][0]["content"].startswith("Task: help\n")
    assert first.body["tool_choice"] == "required"
    assert "refund" in offered(openai_server, 0)
    assert json.loads(last.body["messages"][-1]["content"])["vat_usd"] == 19.0
    assert (await desk.values())["usage"][f"help|{MODEL}"]["calls"] == 2


@pytest.mark.parametrize(
    ("tier", "hidden"), [("guest", {"refund", "order_lookup"}), ("customer", {"refund"}), ("premium", set())]
)
async def test_a_tool_of_another_tier_is_not_offered_and_not_run(
    desk: Desk, openai_server: OpenAIServer, agents_on_shop: str, tier: str, hidden: set[str]
) -> None:
    order_id = place_order(agents_on_shop)
    desk.tier = tier
    openai_server.script(calls(("order_lookup", {"order_id": order_id}), refund(order_id, 5)), ends())
    values = await desk.say(f"Order {order_id}?")
    assert {"refund", "order_lookup"} - offered(openai_server, 0) == hidden
    for tool in hidden:
        (message,) = results(values, tool)
        assert message.text == f"There is no tool {tool} here; use another one, or hand over."
    assert not await desk.questions()
    assert not Ledger(agents_on_shop).refunds(desk.ticket_id)


async def test_an_invented_tool_is_answered_without_naming_others(
    desk: Desk, openai_server: OpenAIServer
) -> None:
    openai_server.script(calls(("delete_orders", {})), ends())
    (message,) = results(await desk.say("Hello"))
    assert message.text == "There is no tool delete_orders here; use another one, or hand over."


async def test_a_repeated_call_is_told_and_the_third_ends_it(
    desk: Desk, openai_server: OpenAIServer, agents_on_shop: str
) -> None:
    again = ("vat", {"country": "DE", "net_usd": 100})  # other order of arguments, the same call
    openai_server.script(calls(TAX), calls(again), calls(TAX))
    values = await desk.say("VAT on $100 in Germany?")
    first, second, third = results(values)
    assert json.loads(first.text)["vat_usd"] == 19.0
    assert second.text.startswith("This call was made before, with the same arguments")
    assert third.text == "Not run: the request goes to a person."
    assert final(values)["why"] == "vat was called for the third time with the same arguments"
    assert len(openai_server.calls) == 3
    assert Ledger(agents_on_shop).mail_kinds(desk.ticket_id) == ["helpdesk-desk"]


async def test_three_equal_calls_at_once_end_it_and_none_runs(
    desk: Desk, openai_server: OpenAIServer
) -> None:
    openai_server.script(calls(TAX, TAX, TAX))
    values = await desk.say("VAT?")
    assert {message.status for message in results(values)} == {"error"}
    assert final(values)["handed_over"]


async def test_repeats_are_looked_for_among_the_newest_five(desk: Desk, openai_server: OpenAIServer) -> None:
    others = [("search_articles", {"query": f"delivery {number}"}) for number in range(5)]
    openai_server.script(calls(TAX, *others), calls(TAX), ends())
    values = await desk.say("VAT?")
    assert [message.status for message in results(values, "vat")] == ["success", "success"]


async def test_a_repeated_refund_asks_nobody_twice(
    desk: Desk, openai_server: OpenAIServer, agents_on_shop: str
) -> None:
    order_id = place_order(agents_on_shop)
    openai_server.script(
        calls(("order_lookup", {"order_id": order_id})), calls(refund(order_id, 5), refund(order_id, 5))
    )
    await desk.say(f"Refund {order_id}")
    (question,) = await desk.questions()
    assert len(question.value["action_requests"]) == 1
    openai_server.script(ends("We have refunded $5.00.", "refunded", order_id))
    values = await desk.decide({"type": "approve"})
    assert sorted(message.status for message in results(values, "refund")) == ["error", "success"]
    assert Ledger(agents_on_shop).refunded_usd(desk.ticket_id) == [5.0]


async def test_an_amount_that_only_an_error_repeats_was_told_by_no_tool(
    desk: Desk, openai_server: OpenAIServer
) -> None:
    desk.ticket_id = "T-echo"
    openai_server.script(calls(("vat", {"net_usd": 42.17, "country": 5})), ends("You get $42.17."))
    values = await desk.say("Hello")
    assert "42.17" in results(values)[0].text
    assert final(values)["handed_over"]
    assert values["guarded"] == ["it names $42.17, which no tool said"]


@pytest.mark.parametrize("amount", [0, -5, 1e9, 700.0, 5.001])
async def test_an_amount_that_can_not_be_asks_nobody(
    desk: Desk, openai_server: OpenAIServer, agents_on_shop: str, amount: float
) -> None:
    order_id = place_order(agents_on_shop)
    openai_server.script(
        calls(("order_lookup", {"order_id": order_id})),
        calls(refund(order_id, amount)),
        ends("No.", "declined"),
    )
    values = await desk.say(f"Refund {order_id}")
    assert final(values)["status"] == "declined"
    assert results(values, "refund")[0].status == "error"
    assert not Ledger(agents_on_shop).refunds(desk.ticket_id)


async def test_a_refund_without_a_look_asks_nobody(
    desk: Desk, openai_server: OpenAIServer, agents_on_shop: str
) -> None:
    openai_server.script(calls(refund(place_order(agents_on_shop), 5)), ends())
    values = await desk.say("Refund my order")
    assert "up first" in results(values, "refund")[0].text
    assert not await desk.questions()


async def test_after_three_model_calls_a_person_has_it(
    desk: Desk, openai_server: OpenAIServer, agents_on_shop: str
) -> None:
    openai_server.script(calls(TAX), calls(OTHER_TAX), calls(("vat", {"net_usd": 300, "country": "DE"})))
    values = await desk.say("VAT?")
    assert len(openai_server.calls) == 3
    assert offered(openai_server) == {"escalate_to_human", "Resolution"}  # the last may only end it
    assert "This is your last step" in openai_server.calls[-1].body["messages"][0]["content"]
    assert final(values)["why"] == "no answer after 3 model calls"
    assert values["tool_calls"] == {"vat": 3}
    assert Ledger(agents_on_shop).mail_kinds(desk.ticket_id) == ["helpdesk-desk"]


async def test_as_many_model_calls_as_an_assistant_may_allow_end_before_the_recursion_limit(
    openai_server: OpenAIServer, agents_on_shop: str, ticket: str
) -> None:
    settings = {"model": "openai:ten", "max_model_calls": 10, "max_calls_per_tool": 50}
    taxes = [calls(("vat", {"net_usd": number + 1, "country": "DE"})) for number in range(10)]
    openai_server.script(*taxes[:9], ends("Done."))
    assert final(await Desk.open(ticket, **settings).say("VAT please"))["status"] == "answered"
    openai_server.script(*taxes)
    assert (
        final(await Desk.open(ticket, **settings).say("VAT please"))["why"]
        == "no answer after 10 model calls"
    )


async def test_a_pause_does_not_begin_the_count_anew(
    desk: Desk, openai_server: OpenAIServer, agents_on_shop: str
) -> None:
    order_id = place_order(agents_on_shop)
    openai_server.script(calls(("order_lookup", {"order_id": order_id})), calls(refund(order_id, 5)))
    await desk.say(f"Refund {order_id}")
    openai_server.script(calls(TAX))
    ended = final(await desk.decide({"type": "approve"}))
    assert len(openai_server.calls) == 3
    assert ended["why"] == "no answer after 3 model calls"
    assert ended["refunded_usd"] == 5.0
    assert "We have refunded $5.00" in ended["reply"]


async def test_a_new_request_has_its_own_counts(desk: Desk, openai_server: OpenAIServer) -> None:
    for _ in range(2):
        openai_server.script(calls(TAX), ends())
        values = await desk.say("VAT?")
        assert final(values)["status"] == "answered"
        assert (values["model_calls"], values["tool_calls"]) == (2, {"vat": 1})


async def test_calls_are_bounded_by_tool(desk: Desk, openai_server: OpenAIServer) -> None:
    many = [("vat", {"net_usd": number, "country": "DE"}) for number in range(1, 8)]
    openai_server.script(calls(*many, ("search_articles", {"query": "delivery"})), ends())
    values = await desk.say("VAT?")
    assert sorted(message.status for message in results(values, "vat")) == ["error"] * 2 + ["success"] * 5
    assert [message.status for message in results(values, "search_articles")] == ["success"]


BROKEN: list[Action] = [
    calls(("Resolution", {"status": "splendid", "reply": "Hi", "order_id": None})),
    calls(("Resolution", {"reply": "Hi"})),
    Say(tool_calls=(("Resolution", {"status": "answered", "reply": "a", "order_id": None}),) * 2),
]


@pytest.mark.parametrize("broken", BROKEN)
async def test_an_end_that_breaks_the_schema_is_mended(
    desk: Desk, openai_server: OpenAIServer, broken: Action
) -> None:
    openai_server.script(broken, ends("Now it fits."))
    assert final(await desk.say("Hello"))["reply"] == "Now it fits."
    assert "Error" in openai_server.calls[-1].body["messages"][-1]["content"]


async def test_text_instead_of_an_end_is_an_answer(desk: Desk, openai_server: OpenAIServer) -> None:
    openai_server.script(Say("Hello to you."))
    assert final(await desk.say("Hello"))["reply"] == "Hello to you."


async def test_nothing_at_all_goes_to_a_person(desk: Desk, openai_server: OpenAIServer) -> None:
    openai_server.script(Say(""))
    assert final(await desk.say("Hello"))["why"] == "the agent gave no answer"


async def test_arguments_that_do_not_fit_go_back_to_the_model(
    desk: Desk, openai_server: OpenAIServer
) -> None:
    openai_server.script(calls(("vat", {"net_usd": "much", "country": 5})), calls(TAX), ends())
    values = await desk.say("VAT?")
    assert [message.status for message in results(values)] == ["error", "success"]
    assert "net_usd" in results(values)[0].text
    assert "pydantic" not in results(values)[0].text


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("We have refunded $5.00.", "money went back, and none did"),
        ("You get $42.17 tomorrow.", "names $42.17, which no tool said"),
        ("Traceback (most recent call last): ...", "shows internals"),
        ("My key is sk-abcdefghijklmnop1234", "shows internals"),
        ("Your card 4111 1111 1111 1111 is fine.", "number of a card"),
        ("Write to rosa.delgado@example.net", "a mail address"),
    ],
)
async def test_a_reply_that_must_not_be_sent_is_held_back(
    desk: Desk, openai_server: OpenAIServer, agents_on_shop: str, reply: str, why: str
) -> None:
    desk.ticket_id = f"T-held-back-{reply[:12]}"
    openai_server.script(ends(reply, "refunded"))
    values = await desk.say("I paid $5.00 for nothing")
    ended = final(values)
    assert ended["status"] == "handed_over"
    assert reply not in ended["reply"]
    assert any(why in objection for objection in values["guarded"]), values["guarded"]
    assert Ledger(agents_on_shop).mail_kinds(desk.ticket_id) == ["helpdesk-desk"]


async def test_an_end_beside_other_calls_still_ends(desk: Desk, openai_server: OpenAIServer) -> None:
    both = ("Resolution", {"status": "answered", "reply": "Hi.", "order_id": None})
    openai_server.script(calls(TAX, both))
    assert final(await desk.say("VAT?"))["reply"] == "Hi."
    assert len(openai_server.calls) == 1


async def test_a_person_beside_other_calls_gets_the_answer_too(
    desk: Desk, openai_server: OpenAIServer, agents_on_shop: str
) -> None:
    openai_server.script(calls(TAX, ("escalate_to_human", {"reason": "angry"})), ends("It is $19.00."))
    ended = final(await desk.say("VAT? And a human!"))
    assert (ended["handed_over"], ended["why"]) == (True, "angry")
    assert ended["reply"].startswith("It is $19.00.\n\nA colleague")
    assert Ledger(agents_on_shop).mail_kinds(desk.ticket_id) == ["helpdesk-desk"]

"""The helpdesk's decisions without a model: digests, repeats, refusals, the guardrail, what is read from words."""

import time
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from agents.helpdesk.calls import digest, mended, of_request, wanted
from agents.helpdesk.guard import objections
from agents.helpdesk.refusing import refusal
from agents.helpdesk.rules.reading import wishes_of
from agents.helpdesk.tiers import TOOLS_OF, tier_of
from agents.helpdesk.tools import TOOLS
from agents.helpdesk.vat import country_code
from agents.helpdesk.watching import judge, tool_calls
from agents.shared.window import NO_MESSAGE, window
from tests.agents.support.builders import order

JSON = st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.integers() | st.text(), max_size=3)


@given(st.text(), st.dictionaries(st.text(), JSON, max_size=4))
def test_a_digest_knows_no_order_of_arguments(name: str, args: dict[str, Any]) -> None:
    assert digest(name, dict(reversed(args.items()))) == digest(name, args)
    assert digest(name + "x", args) != digest(name, args)
    assert digest(name, {**args, "one more": 1, "key": name}) != digest(name, args)


def call(number: int, name: str = "vat", **args: Any) -> dict[str, Any]:
    return {"name": name, "args": args or {"number": number}, "id": f"c{number}", "type": "tool_call"}


def said(*calls: dict[str, Any], text: str = "") -> AIMessage:
    return AIMessage(text, tool_calls=calls)


def test_the_second_is_told_and_the_third_ends() -> None:
    same = [call(number, net_usd=1) for number in range(3)]
    recent, refused, stopped = judge(same[:2], [], {}, 5)  # pyright: ignore[reportArgumentType]
    assert [message.tool_call_id for message in refused] == ["c1"]
    assert (len(recent), stopped) == (2, None)
    _, _, stopped = judge(same[2:], recent, {}, 5)  # pyright: ignore[reportArgumentType]
    assert stopped == "vat was called for the third time with the same arguments"


def test_what_is_older_than_five_calls_is_forgotten() -> None:
    recent, _, _ = judge([call(1)], [], {}, 50)  # pyright: ignore[reportArgumentType]
    recent, _, _ = judge([call(number) for number in range(2, 7)], recent, {}, 50)  # pyright: ignore[reportArgumentType]
    assert len(recent) == 5
    assert judge([call(1)], recent, {}, 50)[1:] == ([], None)  # pyright: ignore[reportArgumentType]


def test_calls_are_counted_from_messages_where_no_field_holds_them() -> None:
    messages: list[AnyMessage] = [
        HumanMessage("before"), said(call(9)), ToolMessage("x", tool_call_id="c9"),
        HumanMessage("now"), said(call(1), call(2, "refund")), ToolMessage("x", tool_call_id="c1"), said(call(3)),
    ]  # fmt: skip
    assert tool_calls({"messages": messages}) == {"vat": 1, "refund": 1}
    assert tool_calls({"messages": messages, "tool_calls": {"vat": 4}}) == {"vat": 4}
    assert [message.type for message in of_request(messages)] == ["human", "ai", "tool", "ai"]


def test_a_call_without_a_result_gets_one_where_it_belongs() -> None:
    messages: list[AnyMessage] = [
        HumanMessage("a"), said(call(1), call(2)), ToolMessage("done", tool_call_id="c1"), HumanMessage("b"),
    ]  # fmt: skip
    whole = mended(messages, "not done")
    assert whole is not None
    assert [message.type for message in whole] == ["human", "ai", "tool", "tool", "human"]
    assert whole[2].text == "not done"
    assert mended(whole, "not done") is None


def test_an_end_is_no_call_of_a_tool() -> None:
    assert wanted(said(call(1, "Resolution"), call(2))) == [call(2)]
    assert wanted(None) == []


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ({"order_id": "#88123"}, None),
        ({"order_id": "88123", "amount_usd": 640.0}, None),
        ({"order_id": "88123", "amount_usd": 640.01}, "less than was asked for"),
        ({"order_id": "88123", "amount_usd": 0}, "above zero"),
        ({"order_id": "88123", "amount_usd": float("nan")}, "above zero"),
        ({"order_id": "88123", "amount_usd": True}, "above zero"),
        ({"order_id": "88123", "amount_usd": "all"}, "above zero"),
        ({"order_id": "88123", "amount_usd": 1.005}, "two decimals"),
        ({"order_id": "99999"}, "Look order 99999 up first"),
        ({}, "up first"),
    ],
)
def test_refunds_that_ask_nobody(args: dict[str, Any], why: str | None) -> None:
    found = refusal(args, {"orders": {"88123": order()}})
    assert (found is None) if why is None else (why in (found or ""))


def test_one_refund_of_an_order_in_a_request() -> None:
    state = {
        "orders": {"88123": order()},
        "receipts": [{"order_id": "88123", "amount_usd": 5.0, "reference": "R"}],
    }
    assert "refunded in this request already" in (refusal({"order_id": "88123"}, state) or "")


TALK: list[AnyMessage] = [
    HumanMessage("I paid $640 with card, write to me@home.example"),
    ToolMessage('{"gross_usd": 119.0, "paid_usd": 1234.5}', tool_call_id="c1"),
]


@pytest.mark.parametrize(
    "reply",
    [
        "It is $119.00, or 119 USD in all; you paid $640 of $1,234.50.",
        "Your order 4111111111111112 is on its way.",  # no card: its check digit is wrong
        "We have not refunded anything yet.",
        "It can be refunded within 30 days.",
        "Write to desk@shop.example or from me@home.example.",
        "Please select a colour from our shop.",
        "",
    ],
)
def test_replies_that_may_be_sent(reply: str) -> None:
    assert objections(reply, TALK, {}) == []


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("That is $119.01.", "names $119.01"),
        ("You get 50 dollars.", "names $50.0"),
        ("Your refund has been processed.", "none did"),
        ("The money was refunded.", "none did"),
        ("psycopg.OperationalError: connection refused", "internals"),
        ("I ran select * from shop.orders", "internals"),
        ("postgresql://admin:secret@db/shop", "internals"),
        ("Card 4111-1111-1111-1111.", "card"),
        ("She is ada@example.com.", "mail address"),
    ],
)
def test_replies_that_may_not(reply: str, why: str) -> None:
    assert any(why in objection for objection in objections(reply, TALK, {}))


def test_money_that_went_back_may_be_told() -> None:
    paid = {"receipts": [{"order_id": "1", "amount_usd": 640.0, "reference": "R"}]}
    assert objections("We have refunded $640.", TALK, paid) == []
    assert objections("It was refunded before.", TALK, {"orders": {"88123": order(refunded_usd=5.0)}}) == []


def test_every_tool_has_a_tier_and_every_tier_known_tools() -> None:
    names = {tool.name for tool in TOOLS}
    assert TOOLS_OF["premium"] == names
    assert TOOLS_OF["guest"] < TOOLS_OF["customer"] < TOOLS_OF["premium"]
    for tier in (None, "", "admin", 7, ["premium"]):
        assert (
            tier_of({"user_tier": tier} if not isinstance(tier, list) else {"user_tier": str(tier)})
            == "guest"
        )


@pytest.mark.parametrize(
    ("written", "code"),
    [("UK", "GB"), ("united kingdom", "GB"), ("gb", "GB"), ("U.S.", "US"), ("USA", "US"), ("Deutschland", "DE"),
     ("India", "IN"), ("fr", "FR"), ("France", "*"), ("", "*"), ("'; drop table", "*")],
)  # fmt: skip
def test_countries(written: str, code: str) -> None:
    assert country_code(written) == code


def test_what_a_model_sees_is_cut_and_never_nothing() -> None:
    assert window([], 100)[0].text == NO_MESSAGE
    long = HumanMessage("why " * 5_000)
    (seen,) = window([HumanMessage("old"), long], 100)
    assert seen.text == long.text[:300]
    request: list[AnyMessage] = [
        HumanMessage("q"),
        said(call(1)),
        ToolMessage("x" * 9_000, tool_call_id="c1"),
    ]
    assert [message.type for message in window(request, 200)] == ["human", "ai", "tool"]
    assert len(window(request, 200)[-1].text) == 200


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("refund #w2611340 and 88123", {"orders": ("W2611340", "88123"), "refund": True}),
        ("How long does a refund take?", {"refund": False, "question": True}),
        ("Can I return it?", {"refund": False, "question": True}),
        ("VAT on $1,200.50 in the UK", {"vat": (1200.5, "uk"), "orders": ()}),
        ("tax for 10 dollars in France", {"vat": (10.0, "france")}),
        ("What does the Vitality Pro Blender cost?", {"product": "Vitality Pro Blender"}),
        ("let me talk to a manager", {"person": True, "question": False}),
        ("", {"question": True, "orders": ()}),
    ],
)
def test_wishes(text: str, what: dict[str, Any]) -> None:
    found = wishes_of(text)
    assert {name: getattr(found, name) for name in what} == what


LONG = {
    "a": "a" * 60_000,
    "digits": "1" * 60_000,
    "commas": "1," * 30_000,
    "dots": "a." * 30_000,
    "at": "a@" * 30_000,
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG)
def test_a_long_text_is_read_in_proportion_to_its_length(text: str) -> None:
    """Both run on the event loop, which serves everybody: what took half a minute held up the whole server."""
    started = time.thread_time()
    wishes_of(text)
    objections("Thank you.", [HumanMessage(text)], {})
    objections(text, [HumanMessage("Hello")], {})
    assert time.thread_time() - started < 2.0

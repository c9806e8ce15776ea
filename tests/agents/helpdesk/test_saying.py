"""What the written rules tell customers of what their tools said: those words are for a model."""

from typing import Any

import pytest

from agents.helpdesk.failing import AWAY, REFUSED, TOO_FAST
from agents.helpdesk.rules.reading import wishes_of
from agents.helpdesk.rules.saying import resolution
from agents.helpdesk.watching import ONE_REFUND, REPEATED, STOPPED

FOR_MODELS = (
    "again",
    "say so",
    "hand over",
    "look order",
    "call",
    "not run",
    "tool",
    "colleague will follow up. don't",
)


@pytest.mark.parametrize("tool", ["refund", "order_lookup", "vat", "price_check", "search_articles"])
@pytest.mark.parametrize(
    "said",
    [
        AWAY, TOO_FAST, REFUSED, ONE_REFUND, REPEATED, STOPPED,
        "No person has let this refund pass, so it was not made. Hand over to a person.",
        "Look order 88123 up first: a refund needs an order that was found.",
    ],
)  # fmt: skip
def test_no_customer_reads_what_a_model_is_told(tool: str, said: str) -> None:
    results: dict[str, list[Any]] = {tool: [said]}
    reply = resolution(wishes_of("Refund 88123"), results)["reply"].casefold()
    assert not [word for word in FOR_MODELS if word in reply], reply
    assert len(reply.split()) > 8


@pytest.mark.parametrize(
    "said",
    ["There is no order 88123.", "The shop sells nothing called 'unicorn'; try fewer words."],
)
def test_what_is_said_to_both_is_told(said: str) -> None:
    tool = "order_lookup" if "order" in said else "price_check"
    assert said.partition(";")[0] in resolution(wishes_of("?"), {tool: [said]})["reply"]

"""Single nodes that read or change the shop: run once, run again, run where nothing can be done."""

from typing import Any

import pytest
from langgraph.runtime import Runtime

from agents.support import nodes
from agents.support.context import Context
from tests.agents.support.builders import decision, order, state
from tests.fakes.shop import EMAIL, Ledger, place_order


@pytest.fixture
def ledger(agents_on_shop: str) -> Ledger:
    """What the nodes of this process left behind in this test's shop."""
    return Ledger(agents_on_shop)


def runtime() -> Runtime[Context]:
    return Runtime(context=Context(model="offline:rules"))


def of_order(ledger: Ledger, paid_usd: float = 640.0, **changes: Any) -> Any:
    """The state of a request about a new order of that shop, as it is decided without a person."""
    number = place_order(ledger.uri, paid_usd)
    decided = decision(amount_usd=paid_usd, needs_approval=False)
    found = order(order_id=number, customer_email=EMAIL, paid_usd=paid_usd, refundable_usd=paid_usd)
    details = {"reason": "damaged", "queries": []}
    return state(**{"order_id": number, "order": found, "decision": decided, "details": details, **changes})


async def test_lookup_order(ledger: Ledger) -> None:
    number = place_order(ledger.uri, 12.5)
    found = (await nodes.lookup_order(state(order_id=f"#{number}"), runtime()))["order"]
    assert (found["order_id"], found["paid_usd"], found["days_since_delivery"]) == (number, 12.5, 3)
    assert await nodes.lookup_order(state(order_id="99999999"), runtime()) == {"order": None}
    assert await nodes.lookup_order(state(), runtime()) == {"order": None}


@pytest.mark.usefixtures("ledger")
async def test_check_return_policy() -> None:
    details = {"reason": "changed_mind", "queries": []}
    found = await nodes.check_return_policy(state(details=details), runtime())
    assert found["policy"]["reason"] == "changed_mind"
    assert (await nodes.check_return_policy(state(), runtime()))["policy"]["reason"] == "other"


@pytest.mark.usefixtures("ledger")
async def test_search_kb() -> None:
    found = (await nodes.search_kb({"query": "how long does delivery take"}, runtime()))["articles"]
    assert found[0]["article_id"] == "delivery-times"
    assert await nodes.search_kb({"query": "xyzzy"}, runtime()) == {"articles": []}


async def test_acknowledge_mails_once_a_request(ledger: Ledger) -> None:
    request = of_order(ledger)
    for turns in (1, 1, 2):
        assert await nodes.acknowledge(request | {"turns": turns}, runtime()) == {"degraded": []}
    assert ledger.mail_kinds("T-1") == ["acknowledge"] * 2
    assert await nodes.acknowledge(state(), runtime()) == {}


async def test_refund_pays_once_a_request(ledger: Ledger) -> None:
    request = of_order(ledger, 400.0)
    first = await nodes.refund(request, runtime())
    assert (first["outcome"], first["decision"]["status"]) == ("refunded", "paid")
    assert await nodes.refund(request, runtime()) == first
    assert ledger.refunded_usd("T-1") == [400]

    refused = await nodes.refund(request | {"turns": 2}, runtime())
    assert refused["failures"][0]["node"] == "refund"
    assert "was refunded already ($400.00)" in refused["failures"][0]["reason"]
    assert "decision" not in refused
    assert ledger.refunded_usd("T-1") == [400]


async def test_the_same_order_typed_another_way_is_the_same_refund(ledger: Ledger) -> None:
    request = of_order(ledger, 300.0)
    await nodes.refund(request, runtime())
    await nodes.refund(request | {"order_id": f"# {request['order_id']}"}, runtime())
    assert ledger.refunded_usd("T-1") == [300]


async def test_hand_over_tells_the_desk_once(ledger: Ledger) -> None:
    for _ in range(2):
        assert await nodes.hand_over(state(intent="human"), runtime()) == {}
    (mail,) = ledger.mails("T-1")
    assert (mail["recipient"], mail["subject"]) == ("desk@shop.example", "[human] ticket T-1")
    assert "My blender arrived broken" in mail["body"]


@pytest.mark.parametrize(
    ("changes", "node", "reason"),
    [
        ({"failures": [{"node": "refund", "reason": "a"}]}, "refund", "refund: a"),
        ({"problem": {"node": "classify", "error": "no intent\0", "answer": ""}}, "classify", "classify: no intent "),
        ({"problem": {"node": "approve", "error": "old", "answer": ""}}, "recursion_limit", "recursion_limit: "),
        ({}, "recursion_limit", "recursion_limit: the super-steps ran out"),
    ],
)  # fmt: skip
async def test_dead_letter_keeps_the_reason_once(
    ledger: Ledger, changes: dict[str, Any], node: str, reason: str
) -> None:
    for _ in range(2):
        update = await nodes.dead_letter(state(**changes, order_id="\0"), runtime())
        assert update["outcome"] == "dead_letter"
        assert "T-1" in update["draft"]
    (letter,) = ledger.dead_letters("T-1")
    assert (letter["node"], letter["reason"][: len(reason)]) == (node, reason)


async def test_send_mails_the_customer_of_the_order_once(ledger: Ledger) -> None:
    request = of_order(ledger, draft="Dear\0Rosa")
    for _ in range(2):
        update = await nodes.send(request, runtime())
        assert [message.text for message in update["messages"]] == ["Dear\0Rosa"]
    (mail,) = ledger.mails("T-1")
    assert (mail["recipient"], mail["body"]) == (EMAIL, "Dear Rosa")


async def test_send_without_an_order_mails_nobody_and_never_says_nothing(ledger: Ledger) -> None:
    update = await nodes.send(state(draft=""), runtime())
    assert "a colleague will look into it" in update["messages"][0].text
    assert not ledger.mails("T-1")

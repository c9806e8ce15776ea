"""A ticket's id is the caller's to choose: another tenant's of the same id is another matter, with its own orders."""

from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig

from tests.agents.support.in_process import Talk, reply_of
from tests.fakes.shop import Ledger, place_order

BEE = {"identity": "bee", "tenant": "b"}


class TalkOfB(Talk):
    """A thread that is begun with a key of tenant b."""

    @property
    def config(self) -> RunnableConfig:
        config: Any = super().config
        config["configurable"]["langgraph_auth_user"] = BEE
        return config


async def test_one_ticket_id_of_two_tenants_is_told_to_the_desk_twice(agents_on_shop: str) -> None:
    for kind in (TalkOfB, Talk):
        await kind.open("T-1").say("I want to speak to a human being.")
    mails = Ledger(agents_on_shop).mails("T-1")
    assert sorted(mail["tenant"] for mail in mails) == ["b", "main"]


@pytest.mark.parametrize("text", ["Refund order {}, it is broken.", "Please cancel my order {}"])
async def test_another_tenant_finds_none_of_the_shops_orders(agents_on_shop: str, text: str) -> None:
    order_id = place_order(agents_on_shop, 20.0)
    state = await TalkOfB.open("T-2").say(text.format(order_id))
    assert state.get("order") is None
    assert "Rosa" not in reply_of(state)
    assert not Ledger(agents_on_shop).refunds("T-2")


async def test_the_keys_of_the_main_tenant_are_as_ever(agents_on_shop: str) -> None:
    """A request that is under way while a release is replaced must find what it did before."""
    order_id = place_order(agents_on_shop, 20.0)
    await Talk.open("T-3").say(f"Refund order {order_id}, it is broken.")
    (refund,) = Ledger(agents_on_shop).refunds("T-3")
    assert refund["idempotency_key"] == f"refund:T-3:{order_id}:1"

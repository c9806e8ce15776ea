"""Refunds in the ledger: a key pays once, an order pays back no more than was paid, nothing is taken back."""

import asyncio
from decimal import Decimal

import psycopg
import pytest

from agents.shared import payments
from agents.shared.payments import PaymentRefused, PaymentUnrecorded, Receipt
from agents.shared.shop import orders
from stationmaster.postgres import connect
from tests.agents.shared.payments.conftest import Ask

ROWS = "select idempotency_key, order_id, ticket_id, request, amount_usd, provider from shop.refunds"


async def pay(key: str, amount: str, order_id: str = "88123", **more: int) -> Receipt:
    return await payments.refund(key=key, order_id=order_id, ticket_id="T-1", amount=Decimal(amount), **more)


async def test_a_refund_is_a_row_and_a_receipt(shop: str, ask: Ask) -> None:
    receipt = await pay("k", "600.50", " #88123", request=2)
    assert receipt | {"reference": ""} == {
        "key": "k",
        "order_id": "88123",
        "amount_usd": 600.5,
        "provider": "ledger",
        "reference": "",
        "repeated": False,
    }
    assert await ask(ROWS) == [
        {
            "idempotency_key": "k",
            "order_id": "88123",
            "ticket_id": "T-1",
            "request": 2,
            "amount_usd": Decimal("600.50"),
            "provider": "ledger",
        }
    ]
    order = await orders.find_order("88123")
    assert order is not None
    assert (order["paid_usd"], order["refunded_usd"], order["refundable_usd"]) == (640.0, 600.5, 39.5)


async def test_the_same_key_again_gives_the_first_receipt(shop: str, ask: Ask) -> None:
    first, again = await pay("k", "640"), await pay("k", "640")
    assert again == first | {"repeated": True}
    assert len(await ask(ROWS)) == 1


async def test_the_same_key_twenty_times_at_once_pays_once(shop: str, ask: Ask) -> None:
    receipts = await asyncio.gather(*(pay("k", "640") for _ in range(20)))
    assert sorted(receipt["repeated"] for receipt in receipts) == [False] + [True] * 19
    assert len(await ask(ROWS)) == 1


@pytest.mark.parametrize(("amount", "order_id"), [("10", "88123"), ("48.50", "88124")])
async def test_a_key_used_for_something_else_is_refused(
    shop: str, ask: Ask, amount: str, order_id: str
) -> None:
    await pay("k", "48.50")
    before = await ask(ROWS)
    with pytest.raises(PaymentRefused, match="a new refund needs a new key"):
        await pay("k", amount, order_id)
    assert await ask(ROWS) == before


async def test_twenty_refunds_at_once_never_exceed_what_was_paid(shop: str, ask: Ask) -> None:
    calls = (pay(f"k{number}", "100") for number in range(20))
    results = await asyncio.gather(*calls, return_exceptions=True)
    refused = [result for result in results if isinstance(result, PaymentRefused)]
    paid = [result for result in results if isinstance(result, dict)]
    assert (len(paid), len(refused)) == (6, 14)
    assert await ask("select refunded_usd from shop.orders where order_id = '88123'") == [
        {"refunded_usd": 600}
    ]


async def test_an_unknown_order_is_refused(shop: str) -> None:
    with pytest.raises(PaymentRefused, match="there is no order 99999"):
        await pay("k", "1", "99999")


@pytest.mark.parametrize("order_id", ["", "no number", "88123; drop", "88123\0"])
async def test_what_is_no_order_number_is_refused_before_the_database_is_asked(order_id: str) -> None:
    with pytest.raises(PaymentRefused, match="there is no order"):
        await pay("k", "1", order_id)


@pytest.mark.parametrize("amount", ["0", "-1", "0.001", "NaN", "Infinity", "1e40"])
async def test_an_amount_that_no_one_can_pay_is_refused(amount: str) -> None:
    with pytest.raises(PaymentRefused, match="whole cents"):
        await pay("k", amount)


async def test_what_another_provider_was_asked_for_is_not_paid_again(shop: str, ask: Ask) -> None:
    await ask("insert into shop.refund_holds values ('k', '88123', 'T-1', 10) returning 1 as one")
    with pytest.raises(PaymentUnrecorded, match="another payment provider"):
        await pay("k", "10")


FORBIDDEN = [
    "update shop.refunds set amount_usd = 1",
    "delete from shop.refunds",
    "truncate shop.refunds",
    "update shop.payments set amount_usd = 9999",
    "delete from shop.payments",
    "update shop.orders set paid_usd = 9999",
    "update shop.orders set refunded_usd = 0",
    "insert into shop.orders values ('77777', 'rosa', 'pending', current_date, null, '{}', 500)",
    "update shop.orders set status = 'pending' where order_id = '88123'",
    "update shop.orders set delivered_on = placed_on - 1 where order_id = '88123'",
    "delete from shop.orders",
    "insert into shop.refund_holds values ('h', '88123', 'T-1', 0.01)",
    "insert into shop.refund_holds values ('h', '88124', 'T-1', 'NaN')",
    "insert into shop.payments select order_id, 9, payment_method_id, 'NaN' from shop.payments",
]


async def test_the_database_itself_refuses_what_must_never_happen(shop: str) -> None:
    await pay("k", "640")
    async with await connect(shop) as conn:
        for statement in FORBIDDEN:
            try:
                async with conn.transaction():
                    await conn.execute(statement.encode())
            except (psycopg.IntegrityError, psycopg.errors.FeatureNotSupported):
                continue
            pytest.fail(f"the database allowed: {statement}")


async def test_no_isolation_level_lets_two_refunds_share_the_same_money(shop: str) -> None:
    insert = (
        b"insert into shop.refunds (idempotency_key, order_id, ticket_id, amount_usd, provider, reference) "
        b"values (%s, '88123', 'T', 400, 'ledger', 'r')"
    )
    async with (
        await psycopg.AsyncConnection.connect(shop) as first,
        await psycopg.AsyncConnection.connect(shop) as second,
    ):
        for conn in (first, second):
            await conn.set_isolation_level(psycopg.IsolationLevel.REPEATABLE_READ)
            await conn.execute("select 1 from shop.orders")  # takes the snapshot
        await first.execute(insert, ["a"])
        waiting = asyncio.create_task(second.execute(insert, ["b"]))
        await first.commit()
        with pytest.raises(psycopg.errors.SerializationFailure):
            await waiting

"""Seeding: the same shop each time, once; the content says the same in policies, articles and orders."""

import asyncio
from dataclasses import asdict, replace
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path

import pytest

from stationmaster.postgres import connect
from stationmaster.shop import handwritten, seed
from stationmaster.shop.demo import ShopEmpty, place_orders
from stationmaster.shop.importer import import_shop
from stationmaster.shop.records import Records
from tests.stationmaster.shop.export import Export

DAY = date(2026, 3, 2)


def test_the_same_shop_each_time_but_for_its_dates() -> None:
    assert seed.everything(DAY) == seed.everything(DAY)
    later = seed.everything(DAY + timedelta(days=40))
    for order in later.orders:
        moved = order.delivered_on and order.delivered_on - timedelta(days=40)
        later.orders[later.orders.index(order)] = replace(
            order, placed_on=order.placed_on - timedelta(days=40), delivered_on=moved
        )
    assert later == seed.everything(DAY)


def test_a_few_hundred_customers_and_about_a_thousand_orders() -> None:
    records = seed.everything(DAY)
    assert 200 <= len(records.customers) <= 500
    assert 950 <= len(records.orders) <= 1100
    assert {order.status for order in records.orders} == {"pending", "processed", "delivered", "cancelled"}
    assert len({order.order_id for order in records.orders}) == len(records.orders)
    assert any(method.source == "gift_card" for method in records.payment_methods)


def test_each_order_is_paid_to_the_cent() -> None:
    records = seed.everything(DAY)
    assert _sums(records, "payments") == {
        order.order_id: sum(
            (item.price_usd * item.quantity for item in records.items if item.order_id == order.order_id),
            Decimal(0),
        )
        for order in records.orders
    }


def _sums(records: Records, table: str) -> dict[str, Decimal]:
    sums: dict[str, Decimal] = {}
    for row in getattr(records, table):
        sums[row.order_id] = sums.get(row.order_id, Decimal(0)) + row.amount_usd
    return sums


def test_the_orders_that_the_readme_names_wait_for_one_person_or_for_two() -> None:
    records = seed.everything(DAY)
    paid = {payment.order_id: payment.amount_usd for payment in records.payments}
    readme = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
    for number in ("25819", "24314"):
        assert number in readme
        assert 500 < paid[number] < 1000
    assert "22812" in readme
    assert paid["22812"] > 1000


async def test_seeding_fills_an_empty_shop_once(database: str) -> None:
    first = await seed.seed(database)
    assert first.new
    assert str(first) == "seeded with 327 customers, 1007 orders and 46 help articles"
    before = await _content(database)
    again = await seed.seed(database)
    assert not again.new
    assert str(again) == f"already seeded on {first.seeded_on}; nothing was changed"
    assert await seed.seed_if_empty(database) is None
    assert await _content(database) == before


async def test_two_at_once_seed_once(database: str) -> None:
    results = await asyncio.gather(*(seed.seed_if_empty(database) for _ in range(3)))
    assert sorted(result is None for result in results) == [False, True, True]


async def _content(uri: str) -> list[object]:
    query = (
        "select (select count(*) from shop.orders) as orders, (select count(*) from shop.refunds) as refunds, "
        "(select sum(paid_usd) from shop.orders) as paid, (select max(xmin::text::bigint) from shop.orders) as newest"
    )
    async with await connect(uri) as conn:
        return [dict(row) for row in await (await conn.execute(query)).fetchall()]


def test_articles_promise_what_the_policies_hold() -> None:
    """The refund policy is written down twice, for the agents to apply and for customers to read."""
    policies = handwritten.read("policies")
    texts = {article.article_id: article.body for article in handwritten.articles()}
    days = {reason: f"{policy['window_days']} days" for reason, policy in policies.items()}
    for reason, policy in policies.items():
        assert days[reason] in policy["text"], reason
    for article_id, reasons in {
        "refund-policy": ("damaged", "not_as_described", "late", "changed_mind"),
        "damaged-on-arrival": ("damaged",),
        "not-as-described": ("not_as_described",),
        "late-or-lost-parcel": ("late",),
        "wrong-item": ("wrong_item",),
        "cancel-an-order": ("changed_mind",),
    }.items():
        for reason in reasons:
            assert days[reason] in texts[article_id], (article_id, reason)
    assert policies["changed_mind"]["refund_share"] == 0.9
    assert "90 %" in texts["refund-policy"]


def test_articles_are_dataclasses_that_fit_the_table() -> None:
    assert set(asdict(handwritten.articles()[0])) == {"article_id", "title", "keywords", "body"}


async def test_an_imported_shop_gets_articles_and_policies_and_nothing_invented(
    database: str, export: Export
) -> None:
    await import_shop(database, export.directory)
    async with await connect(database) as conn:
        imported = await (await conn.execute("select count(*) as n from shop.orders")).fetchone()
    assert str(await seed.seed(database)).startswith(
        "46 help articles and the return policies added to the orders"
    )
    async with await connect(database) as conn:
        assert await (await conn.execute("select count(*) as n from shop.orders")).fetchone() == imported
        assert await (await conn.execute("select count(*) as n from shop.return_policies")).fetchone() == {
            "n": 6
        }
    with pytest.raises(ShopEmpty):
        await place_orders(database)

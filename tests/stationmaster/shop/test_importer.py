"""Importing an export: everything or nothing, every bad row named, twice the same as once."""

from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from agents.shared import database as agents_database
from agents.shared.shop import orders
from stationmaster.postgres import connect
from stationmaster.shop.export_files import Problem
from stationmaster.shop.importer import ImportRefused, import_shop
from stationmaster.shop.load import Counts
from tests.stationmaster.shop.export import REMOVE, Export

REAL_EXPORT = Path(__file__).parents[4] / "shared/data/tau_retail"
TABLES = (
    *("customers", "payment_methods", "products", "product_variants", "orders", "order_items"),
    *("shipments", "payments", "refunds"),
)


async def sizes(uri: str) -> dict[str, int]:
    async with await connect(uri) as conn:
        query = " union all ".join(
            f"select '{name}' as name, count(*) as n from shop.{name}" for name in TABLES
        )
        return {row["name"]: row["n"] for row in await (await conn.execute(query.encode())).fetchall()}


async def refused(uri: str, export: Export) -> list[str]:
    with pytest.raises(ImportRefused) as caught:
        await import_shop(uri, export.directory)
    assert caught.value.exit_code == 2
    return [str(problem) for problem in caught.value.problems]


def changes(done: Mapping[str, Counts]) -> dict[str, tuple[int, int]]:
    return {table: (n.added, n.changed) for table, n in done.items() if n.added or n.changed}


async def test_an_export_becomes_customers_and_orders(database: str, export: Export) -> None:
    done = await import_shop(database, export.directory)
    assert changes(done) == {
        "customers": (2, 0),
        "payment_methods": (3, 0),
        "products": (2, 0),
        "variants": (3, 0),
        "orders": (3, 0),
        "items": (5, 0),
        "shipments": (1, 0),
        "payments": (4, 0),
        "past_refunds": (1, 0),
    }
    agents_database.configure(database)
    try:
        delivered, cancelled = await orders.find_order("#w7000001"), await orders.find_order("W7000002")
    finally:
        await agents_database.close()
        agents_database.configure(None)
    assert delivered is not None
    assert delivered["customer_name"] == "Mira Stone"
    assert [entry["price_usd"] for entry in delivered["items"]] == [89.5, 89.5]
    assert (delivered["paid_usd"], delivered["refundable_usd"]) == (179.0, 179.0)
    assert delivered["days_since_delivery"] is not None
    assert cancelled is not None
    assert (cancelled["paid_usd"], cancelled["refunded_usd"], cancelled["refundable_usd"]) == (
        40.0,
        40.0,
        0.0,
    )


async def test_what_the_agents_do_not_see_is_kept_too(database: str, export: Export) -> None:
    await import_shop(database, export.directory)
    async with await connect(database) as conn:

        async def one(query: str) -> dict[str, Any] | None:
            return await (await conn.execute(query.encode())).fetchone()

        assert await one("select options from shop.order_items where order_id = 'W7000003' and line = 1") == {
            "options": {"colour": "red", "width": "140 cm"}
        }
        assert await one("select balance_usd from shop.payment_methods where source = 'gift_card'") == {
            "balance_usd": Decimal("12.50")
        }
        assert await one("select tracking_id, item_ids from shop.shipments") == {
            "tracking_id": "990000000001",
            "item_ids": ["6000000001"],
        }
        assert await one("select order_id, provider, payment_method_id, ticket_id from shop.refunds") == {
            "order_id": "W7000002",
            "provider": "history",
            "payment_method_id": "credit_card_7001",
            "ticket_id": None,
        }


async def test_the_same_export_twice_changes_nothing(database: str, export: Export) -> None:
    await import_shop(database, export.directory)
    before = await sizes(database)
    assert changes(await import_shop(database, export.directory)) == {}
    assert await sizes(database) == before


async def test_a_newer_export_brings_rows_up_to_date(database: str, export: Export) -> None:
    await import_shop(database, export.directory)
    export.change("orders", "#W7000003", "status", to="delivered")
    export.change("users", "mira_stone_7001", "payment_methods", "gift_card_7001", "balance", to=0)
    export.change("products", "5000000001", "variants", "6000000002", "available", to=True)
    assert changes(await import_shop(database, export.directory)) == {
        "payment_methods": (0, 1),
        "variants": (0, 1),
        "orders": (0, 1),
    }


BAD_ROWS = [
    (
        "orders",
        ("#W7000001", "user_id"),
        "nobody",
        "orders.json, row 1 (#W7000001): user_id: unknown user nobody",
    ),
    ("orders", ("#W7000002", "items", 0, "product_id"), "1", "items.0.product_id: unknown product 1"),
    (
        "orders",
        ("#W7000002", "items", 0, "item_id"),
        "1",
        "items.0.item_id: product 5000000002 has no item 1",
    ),
    (
        *("orders", ("#W7000003", "payment_history", 0, "payment_method_id"), "gift_card_7001"),
        "payment_history.0.payment_method_id: user otto_reed_7002 has no gift_card_7001",
    ),
    ("orders", ("#W7000002", "payment_history", 1, "amount"), 41, "refunds are $1 more than payments"),
    (
        "orders",
        ("#W7000002", "payment_history", 0, "amount"),
        -3,
        "payment_history.0.amount: Input should be greater",
    ),
    (
        "orders",
        ("#W7000002", "payment_history", 0, "amount"),
        1.234,
        "payment_history.0.amount: Decimal input",
    ),
    (
        "orders",
        ("#W7000002", "payment_history", 0, "amount"),
        "much",
        "payment_history.0.amount: Input should be",
    ),
    (
        "orders",
        ("#W7000001", "status"),
        "lost",
        "status: Input should be 'pending', 'processed', 'delivered'",
    ),
    ("orders", ("#W7000001", "items"), [], "items: List should have at least 1 item"),
    ("orders", ("#W7000001", "address"), REMOVE, "address: Field required"),
    ("orders", ("#W7000001", "order_id"), "#W1", "order_id: is #W1, not the row's id"),
    ("orders", ("#W7000001", "fulfillments", 0, "item_ids"), ["7"], "item_ids: 7 is not among the items"),
    ("orders", ("#W7000001", "address", "city"), "a\0b", "address.city: Value error, holds a character"),
    ("orders", ("#W7000001",), "none", "row 1 (#W7000001): Input should be a valid dictionary"),
    (
        "users",
        ("otto_reed_7002", "email"),
        "otto",
        "users.json, row 2 (otto_reed_7002): email: String should match",
    ),
    (
        "users",
        ("otto_reed_7002", "email"),
        "Mira.Stone7001@example.org",
        "email: user mira_stone_7001 has the same",
    ),
    ("users", ("otto_reed_7002", "orders"), ["#W1"], "orders: unknown order #W1"),
    (
        "users",
        ("otto_reed_7002", "orders"),
        ["#W7000001"],
        "orders: #W7000001 belongs to user mira_stone_7001",
    ),
    (
        *("users", ("mira_stone_7001", "payment_methods", "credit_card_7001", "last_four"), "42"),
        "payment_methods.credit_card_7001.credit_card.last_four: String should match",
    ),
    (
        *("products", ("5000000001", "variants", "6000000001", "price"), 0),
        "products.json, row 1 (5000000001): variants.6000000001.price: Input should be greater than 0",
    ),
    ("products", ("5000000002", "product_id"), "x", "product_id: is x, not the row's id"),
]


@pytest.mark.parametrize(("file", "path", "value", "said"), BAD_ROWS)
async def test_a_bad_row_is_named_and_nothing_is_imported(
    export: Export, file: str, path: tuple[str | int, ...], value: object, said: str
) -> None:
    export.change(file, *path, to=value)
    # No database is there to be touched: it is not even asked before the files are good.
    problems = await refused("postgresql://nobody@127.0.0.1:1/none", export)
    assert len(problems) == 1, problems
    assert said in problems[0]


async def test_all_bad_rows_are_named_at_once(database: str, export: Export) -> None:
    export.change("orders", "#W7000001", "status", to="lost")
    export.change("orders", "#W7000003", "user_id", to="nobody")
    export.change("users", "mira_stone_7001", "email", to="")
    export.change("products", "5000000002", "variants", "6000000003", "price", to="free")
    problems = await refused(database, export)
    assert [problem.split(":")[0] for problem in problems] == [
        "orders.json, row 1 (#W7000001)",
        "orders.json, row 3 (#W7000003)",
        "products.json, row 2 (5000000002)",
        "users.json, row 1 (mira_stone_7001)",
    ]
    assert set((await sizes(database)).values()) == {0}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "orders.json: is missing"),
        ("{", "orders.json: can't be read: Expecting property name"),
        ("[]", "orders.json: must hold one JSON object"),
        ('{"#W7000001": NaN}', "orders.json: can't be read: NaN is no JSON number"),
        pytest.param("[" * 100_000, "orders.json: can't be read: maximum recursion depth", id="nested"),
    ],
)
async def test_a_bad_file_is_named_alone(export: Export, text: str | None, said: str) -> None:
    """Alone: that the users' orders are unknown then is no news."""
    path = export.directory / "orders.json"
    path.unlink() if text is None else path.write_text(text)
    [problem] = await refused("postgresql://nobody@127.0.0.1:1/none", export)
    assert problem.startswith(said)


async def test_a_key_that_stands_twice_is_not_silently_the_last_one(export: Export) -> None:
    path = export.directory / "orders.json"
    text = path.read_text()
    path.write_text(text.replace('"status": "pending"', '"status": "cancelled", "status": "pending"'))
    assert await refused("postgresql://nobody@127.0.0.1:1/none", export) == [
        "orders.json, row 3 (#W7000003): key 'status' is there twice"
    ]
    path.write_text(text.replace('"#W7000002": {', '"#W7000003": {', 1))
    problems = await refused("postgresql://nobody@127.0.0.1:1/none", export)
    assert "orders.json, row 3 (#W7000003): row 2 has the same id" in problems


async def test_what_contradicts_the_shop_is_refused(database: str, export: Export) -> None:
    await import_shop(database, export.directory)
    before = await sizes(database)
    export.change("orders", "#W7000003", "payment_history", 0, "amount", to=131.06)
    export.change("orders", "#W7000002", "payment_history", 1, "amount", to=39)
    export.change("orders", "#W7000001", "user_id", to="otto_reed_7002")
    export.change("orders", "#W7000001", "payment_history", to=[])
    export.change("users", "mira_stone_7001", "orders", to=[])
    export.change("users", "otto_reed_7002", "orders", to=[])
    problems = await refused(database, export)
    assert sorted(problems) == [
        "orders.json, row 1 (#W7000001): payment_history: the shop has $100.00 as payment 1",
        "orders.json, row 1 (#W7000001): payment_history: the shop has $79.00 as payment 2",
        "orders.json, row 1 (#W7000001): user_id: the shop has this order for customer mira_stone_7001",
        "orders.json, row 2 (#W7000002): payment_history: the shop has $40.00 as a refund",
        "orders.json, row 3 (#W7000003): payment_history: the shop has $131.05 as payment 1",
    ]
    assert await sizes(database) == before


async def test_what_only_the_database_can_know_rolls_everything_back(database: str, export: Export) -> None:
    await import_shop(database, export.directory)
    async with await connect(database) as conn:
        await conn.execute(
            "insert into shop.refunds (idempotency_key, order_id, ticket_id, amount_usd, provider, reference) "
            "values ('k', 'W7000003', 'T-1', 100, 'ledger', 'r')"
        )
    back = {"transaction_type": "refund", "amount": 131.05, "payment_method_id": "paypal_7002"}
    export.files["orders"]["#W7000003"]["payment_history"].append(back)
    export.change("users", "otto_reed_7002", "name", "first_name", to="Ottilie")
    [problem] = await refused(database, export)
    assert "orders_refunds_within_paid" in problem
    assert "W7000003" in problem
    async with await connect(database) as conn:
        row = await (
            await conn.execute("select 1 from shop.customers where first_name = 'Ottilie'")
        ).fetchone()
    assert row is None


def test_a_problem_says_where() -> None:
    assert str(Problem("a.json", 7, "x", "is bad")) == "a.json, row 7 (x): is bad"
    assert str(Problem("a.json", None, None, "is missing")) == "a.json: is missing"


@pytest.mark.skipif(not REAL_EXPORT.exists(), reason="../shared/data/tau_retail is not there")
async def test_a_real_export_of_a_thousand_orders(seeded_database: str) -> None:
    done = await import_shop(seeded_database, REAL_EXPORT)
    assert (done["orders"].added, done["customers"].added, done["variants"].added) == (1000, 500, 591)
    assert (done["payments"].added, done["past_refunds"].added) == (1000, 102)
    assert changes(await import_shop(seeded_database, REAL_EXPORT)) == {}

"""Demo orders: fixed numbers while they are fresh, the next free number once the ledger has used them."""

import pytest

from agents.shared import database as agents_database
from agents.shared.shop import orders
from stationmaster.postgres import connect
from stationmaster.shop import demo, ledger, seed
from stationmaster.shop.demo import ShopEmpty, place_orders
from stationmaster.shop.demo_orders import demo_orders

REFUND = (
    "insert into shop.refunds (idempotency_key, order_id, ticket_id, request, amount_usd, provider, reference) "
    "values (%s, %s, %s, %s, %s, 'ledger', 'r')"
)


async def refund(
    uri: str, key: str, order_id: str, ticket_id: str = "T-1", request: int = 1, usd: float = 1
) -> None:
    async with await connect(uri) as conn:
        await conn.execute(REFUND, [key, order_id, ticket_id, request, usd])


async def test_fresh_ones_are_used_as_they_are(seeded_database: str) -> None:
    placed = await place_orders(seeded_database)
    assert placed == await place_orders(seeded_database)
    assert placed == demo.DemoOrders(
        blender="88123",
        small="88124",
        old="88125",
        pending="88126",
        split="88127",
        refunded="88128",
        late="88129",
        missing="99999",
        blender_usd=640.0,
        small_usd=48.5,
    )


async def test_a_refunded_one_gets_a_copy_under_the_next_number(seeded_database: str) -> None:
    await refund(seeded_database, "a", "88123")
    assert (await place_orders(seeded_database)).blender == "88223"
    await refund(seeded_database, "b", "88223")
    placed = await place_orders(seeded_database)
    assert (placed.blender, placed.small) == ("88323", "88124")
    agents_database.configure(seeded_database)
    try:
        first, copy = await orders.find_order("88123"), await orders.find_order("88323")
    finally:
        await agents_database.close()
        agents_database.configure(None)
    assert first is not None
    assert copy is not None
    changed = {name for name in copy if copy[name] != first[name]}
    assert changed == {"order_id", "refunded_usd", "refundable_usd"}
    assert copy["refundable_usd"] == 640.0


async def test_money_set_aside_uses_one_up_too(seeded_database: str) -> None:
    async with await connect(seeded_database) as conn:
        await conn.execute("insert into shop.refund_holds values ('h', '88124', 'T-1', 1)")
    assert (await place_orders(seeded_database)).small == "88224"


async def test_one_that_aged_out_of_the_policy_gets_a_copy_delivered_lately(seeded_database: str) -> None:
    async with await connect(seeded_database) as conn:
        await conn.execute(
            "update shop.orders set placed_on = placed_on - 90, delivered_on = delivered_on - 90"
        )
    placed = await place_orders(seeded_database)
    assert (placed.blender, placed.small, placed.split) == ("88223", "88224", "88227")
    assert (placed.old, placed.pending) == ("88125", "88126")


async def test_an_unknown_number_stays_unknown(seeded_database: str) -> None:
    async with await connect(seeded_database) as conn:
        await conn.execute(
            "insert into shop.orders (order_id, customer_id, status, placed_on, address) "
            "select '99999', customer_id, 'pending', current_date, '{}' from shop.customers limit 1"
        )
    assert (await place_orders(seeded_database)).missing == "99998"


async def test_an_empty_shop_says_what_to_do(database: str) -> None:
    with pytest.raises(ShopEmpty, match="stationmaster shop seed"):
        await place_orders(database)
    await seed.seed(database)
    await place_orders(database)


def test_each_demo_order_is_paid_for_its_items() -> None:
    for name, order in demo_orders().items():
        items = sum(item["price"] * item["quantity"] for item in order.written["items"])
        assert float(order.paid_usd) == items, name


async def test_the_summary_counts_by_ticket(seeded_database: str) -> None:
    nothing = await ledger.summary(seeded_database, "T-")
    assert set(nothing.values()) == {0}, "refunds that came with orders belong to no ticket"
    await refund(seeded_database, "a", "88123", "T-1", usd=640)
    await refund(seeded_database, "b", "88124", "T-2", request=1, usd=8.25)
    await refund(seeded_database, "c", "88124", "T-2", request=2, usd=8.25)
    await refund(seeded_database, "d", "88124", "T-2", request=2, usd=8.25)
    await refund(seeded_database, "e", "88125", "other", usd=5)
    async with await connect(seeded_database) as conn:
        await conn.execute(
            "insert into shop.mails (idempotency_key, ticket_id, recipient, subject, body) "
            "values ('a', 'T-1', 'a@example.net', 's', 'b'), ('b', 'T_1', 'a@example.net', 's', 'b')"
        )
        await conn.execute(
            "insert into shop.dead_letters (idempotency_key, graph, node, ticket_id, reason, detail) "
            "values ('a', 'support', 'refund', 'T-9', 'r', '{}')"
        )
        await conn.execute("insert into shop.refund_holds values ('h', '88129', 'T-3', 1)")
    assert await ledger.summary(seeded_database, "T-") == {
        "refunds": 4,
        "duplicate_refunds": 1,
        "holds": 1,
        "mails": 1,
        "dead_letters": 1,
        "total_usd": 664.75,
    }
    assert (await ledger.summary(seeded_database))["refunds"] == 5
    for thread in ("one", "two"):  # of one ticket: each counts its own requests
        await refund(
            seeded_database, f"helpdesk:main:{thread}:88124:1", "88124", "two-threads", request=1, usd=1
        )
    assert (await ledger.summary(seeded_database, "two-threads"))["duplicate_refunds"] == 0
    rows = await ledger.refunds(seeded_database, "T-1")
    assert [(row["order_id"], float(row["amount_usd"]), row["provider"]) for row in rows] == [
        ("88123", 640.0, "ledger")
    ]

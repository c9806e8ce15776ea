"""Demo orders: fixed numbers, known amounts, and fresh copies once the ledger has used one up."""

import asyncio
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from stationmaster.errors import StationmasterError
from stationmaster.postgres import connect
from stationmaster.postgres.queries import load as load_queries
from stationmaster.shop.demo_orders import DemoOrder, demo_orders
from stationmaster.shop.load import load
from stationmaster.shop.records import Records

_SQL = load_queries(Path(__file__).with_suffix(".sql"))
_STANDING, _MISSING, _TODAY = _SQL["standing"], _SQL["missing"], _SQL["today"]
_NEXT_COPY = 100


@dataclass(frozen=True)
class DemoOrders:
    """The order numbers to use in this run; what each is like stands in content/demo_orders.yaml."""

    blender: str
    small: str
    old: str
    pending: str
    split: str
    refunded: str
    late: str
    missing: str  # no order has this number
    blender_usd: float
    small_usd: float


class ShopEmpty(StationmasterError):
    """There are no demo orders in this shop. Is it the server's? Give the --data-dir or DATABASE_URI that the server
    was started with; an empty shop is filled with `stationmaster shop seed`."""


async def place_orders(uri: str) -> DemoOrders:
    """The demo orders, each untouched and as old as it should be; copies are placed where needed.

    Raises ShopEmpty, DatabaseUnreachable.
    """
    written = await asyncio.to_thread(demo_orders)
    async with await connect(uri) as conn:
        today = await today_of(conn)
        numbers = {name: await _fresh(conn, order, today) for name, order in written.items()}
        missing = await (await conn.execute(_MISSING)).fetchone()
    return DemoOrders(
        **numbers,
        missing=missing["number"] if missing else "0000",
        blender_usd=float(written["blender"].paid_usd),
        small_usd=float(written["small"].paid_usd),
    )


async def today_of(conn: AsyncConnection[DictRow]) -> date:
    """Today as the database sees it, for it is the one that counts days since delivery."""
    row = await (await conn.execute(_TODAY)).fetchone()
    if row is None:
        raise RuntimeError("select current_date gave no row")
    return row["today"]


async def _fresh(conn: AsyncConnection[DictRow], order: DemoOrder, today: date) -> str:
    """The first number, from the order's own on, whose order is untouched or not placed yet."""
    number = order.number
    while True:
        asked = {"order_id": str(number), "reason": order.reason}
        row = await (await conn.execute(_STANDING, asked)).fetchone()
        if row is None and number == order.number:
            raise ShopEmpty(" ".join(str(ShopEmpty.__doc__).split()))
        if row is None:
            records = Records()
            order.add_to(records, today, number)
            await load(conn, records)
            return str(number)
        if (row["status"], row["in_policy"], row["given_back"]) == (
            order.status,
            order.in_policy,
            order.refunded_usd,
        ):
            return str(number)
        number += _NEXT_COPY

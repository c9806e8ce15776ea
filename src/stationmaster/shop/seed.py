"""Fills an empty shop: hand-written articles, policies and demo orders, made-up customers and orders."""

import asyncio
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path

from psycopg import AsyncConnection
from psycopg.rows import DictRow

from stationmaster.postgres import connect
from stationmaster.postgres.queries import load as load_queries
from stationmaster.shop.catalogue import make_up
from stationmaster.shop.demo_orders import demo_orders
from stationmaster.shop.documents import add_demo_documents
from stationmaster.shop.handwritten import articles, read
from stationmaster.shop.load import load
from stationmaster.shop.records import Records
from stationmaster.shop.travel import add_travel
from stationmaster.shop.treasury import add_treasury

_SQL = load_queries(Path(__file__).with_suffix(".sql"))
_BEGIN, _SEEDED_ON = _SQL["begin_seeding"], _SQL["seeded_on"]
_HAS_ORDERS = _SQL["has_orders"]
_STOCK_UP = _SQL["stock_up"]
_ADD_POLICY, _ADD_ARTICLE = _SQL["add_policy"], _SQL["add_article"]


@dataclass(frozen=True)
class Seeded:
    """What a seeding did: `new` is False when the shop was seeded before, and then nothing was changed."""

    new: bool
    seeded_on: date
    customers: int = 0
    orders: int = 0
    articles: int = 0

    def __str__(self) -> str:
        if self.new and not self.orders:
            return f"{self.articles} help articles and the return policies added to the orders that were imported"
        if not self.new:
            return f"already seeded on {self.seeded_on}; nothing was changed"
        return (
            f"seeded with {self.customers} customers, {self.orders} orders and {self.articles} help articles"
        )


async def seed(uri: str) -> Seeded:
    """Fill the shop, in one transaction, unless that was done before. Dates are relative to today.

    A shop that holds orders already, by an import, is somebody's own: it gets the articles and policies that the
    agents need, and no invented customer. Two at once: the second waits for the first and then changes nothing.
    Raises DatabaseUnreachable.
    """
    async with await connect(uri) as conn:
        begun = await (await conn.execute(_BEGIN)).fetchone()
        if begun is None:
            return Seeded(new=False, seeded_on=await _seeded_on(conn))
        today: date = begun["seeded_on"]
        imported = await (await conn.execute(_HAS_ORDERS)).fetchone() is not None
        records = Records() if imported else await asyncio.to_thread(everything, today)
        await load(conn, records)
        if not imported:  # a real treasury has a real list
            await add_treasury(conn)
            await add_demo_documents(conn)
            await add_travel(conn)
        if not imported:
            await conn.execute(_STOCK_UP)
        return Seeded(
            new=True,
            seeded_on=today,
            customers=len(records.customers),
            orders=len(records.orders),
            articles=await _add_texts(conn),
        )


async def seed_if_empty(uri: str) -> str | None:
    """What was put into a shop that was never seeded; None when it was."""
    seeded = await seed(uri)
    return str(seeded) if seeded.new else None


def everything(today: date) -> Records:
    """The made-up shop and the demo orders."""
    records = make_up(today)
    for order in demo_orders().values():
        order.add_to(records, today, order.number)
    return records


async def _add_texts(conn: AsyncConnection[DictRow]) -> int:
    """Add policies and articles; how many articles there are."""
    policies = await asyncio.to_thread(read, "policies")
    texts = await asyncio.to_thread(articles)
    async with conn.cursor() as cursor:
        await cursor.executemany(
            _ADD_POLICY, [{"reason": reason, **policy} for reason, policy in policies.items()]
        )
        await cursor.executemany(_ADD_ARTICLE, [asdict(article) for article in texts])
    return len(texts)


async def _seeded_on(conn: AsyncConnection[DictRow]) -> date:
    row = await (await conn.execute(_SEEDED_ON)).fetchone()
    if row is None:
        raise RuntimeError("shop.seeding refused a row and holds none")
    return row["seeded_on"]

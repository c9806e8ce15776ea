"""Reads what runs left behind in a shop, and makes orders of known amounts."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any

import psycopg
from psycopg.rows import dict_row
from psycopg.sql import SQL, Identifier

_numbers = count(7_000_001)  # the seeded orders have other numbers
CUSTOMER = "rosa_delgado_4401"
CARD = "credit_card_4401001"
EMAIL = "rosa.delgado@example.net"

_ORDER = """
insert into shop.orders (order_id, customer_id, status, placed_on, delivered_on, address)
select %(order_id)s, customer_id, 'delivered', current_date - 8, current_date - 3, address
from shop.customers where customer_id = %(customer)s"""
_ITEM = """
insert into shop.order_items (order_id, line, item_id, name, category, options, price_usd, quantity)
values (%(order_id)s, 1, 'P9001-1', 'Vitality Pro Blender', 'kitchen', '{}', %(paid_usd)s, 1)"""
_PAYMENT = """
insert into shop.payments (order_id, line, payment_method_id, amount_usd)
values (%(order_id)s, 1, %(card)s, %(paid_usd)s)"""


def place_order(uri: str, paid_usd: float = 640.0) -> str:
    """A new order of a seeded shop, delivered three days ago; its number, which no other order has."""
    order_id = str(next(_numbers))
    values = {"order_id": order_id, "paid_usd": paid_usd, "customer": CUSTOMER, "card": CARD}
    with psycopg.connect(uri) as conn:
        for statement in (_ORDER, _ITEM, _PAYMENT):
            conn.execute(statement, values)
    return order_id


@contextmanager
def locked(uri: str, statement: Any) -> Iterator[None]:
    """Hold the locks that `statement` takes until the block ends."""
    with psycopg.connect(uri) as conn:
        conn.execute(statement)
        yield
        conn.rollback()


async def lock_waiters(uri: str, *, like: str, at_least: int = 1) -> None:
    """Wait until so many sessions of the database, whose query is like that, wait for a lock."""
    query = (
        "select count(*) from pg_stat_activity "
        "where datname = current_database() and wait_event_type = 'Lock' and query ilike %s"
    )
    async with asyncio.timeout(20), await psycopg.AsyncConnection.connect(uri, autocommit=True) as conn:
        while True:
            row = await (await conn.execute(query, (like,))).fetchone()
            if row and row[0] >= at_least:
                return
            await asyncio.sleep(0.02)  # between two looks at what is waited for


@dataclass(frozen=True)
class Ledger:
    """The effects in the shop behind `uri`, counted by the ticket that caused them."""

    uri: str

    def refunds(self, ticket_id: str) -> list[dict[str, Any]]:
        """Its refunds that were made, oldest first: order_id, amount_usd, idempotency_key, ..."""
        return self._rows("select * from shop.refunds where ticket_id = %s order by 1", ticket_id)

    def mails(self, ticket_id: str) -> list[dict[str, Any]]:
        """Its mails, by key."""
        return self._rows("select * from shop.mails where ticket_id = %s order by idempotency_key", ticket_id)

    def mail_kinds(self, ticket_id: str) -> list[str]:
        """What its mails are, sorted: "acknowledge", "desk", "reply"; one entry a mail."""
        return [mail["idempotency_key"].partition(":")[0] for mail in self.mails(ticket_id)]

    def refunded_usd(self, ticket_id: str) -> list[float]:
        """The amounts of its refunds, oldest first."""
        return [float(row["amount_usd"]) for row in self.refunds(ticket_id)]

    def dead_letters(self, ticket_id: str) -> list[dict[str, Any]]:
        """Its dead letters, by key."""
        return self._rows("select * from shop.dead_letters where ticket_id = %s order by 1", ticket_id)

    def _rows(self, query: Any, *params: object) -> list[dict[str, Any]]:
        with psycopg.connect(self.uri) as conn, conn.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query, params).fetchall()


@contextmanager
def database_away(server: str, uri: str) -> Iterator[None]:
    """Nobody gets a connection to the database of `uri`, and those that are open are cut."""
    with psycopg.connect(uri) as conn:
        name = conn.info.dbname
    allow = SQL("alter database {} with allow_connections {}")
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(allow.format(Identifier(name), SQL("false")))
        conn.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,))
        try:
            yield
        finally:
            conn.execute(allow.format(Identifier(name), SQL("true")))

"""Reads what runs left behind in a shop, and makes orders of known amounts."""

from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.rows import dict_row


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

    def dead_letters(self, ticket_id: str) -> list[dict[str, Any]]:
        """Its dead letters, by key."""
        return self._rows("select * from shop.dead_letters where ticket_id = %s order by 1", ticket_id)

    def _rows(self, query: Any, *params: object) -> list[dict[str, Any]]:
        with psycopg.connect(self.uri) as conn, conn.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query, params).fetchall()

"""What tickets have left behind in the shop: refunds, mails, dead letters."""

from pathlib import Path
from typing import Any

from typing_extensions import TypedDict

from stationmaster.postgres import connect
from stationmaster.postgres.queries import load as load_queries

_SQL = load_queries(Path(__file__).with_suffix(".sql"))
_SUMMARY, _REFUNDS = _SQL["summary"], _SQL["refunds"]


class Summary(TypedDict):
    """Counts, and USD. `duplicate_refunds`: beyond the first for one ticket, order and request on the ticket.

    `holds` are refunds that a payment provider was asked for and has not confirmed.
    """

    refunds: int
    duplicate_refunds: int
    holds: int
    mails: int
    dead_letters: int
    total_usd: float


async def summary(uri: str, ticket_prefix: str = "") -> Summary:
    """The counts for all tickets whose id starts so. Raises DatabaseUnreachable."""
    async with await connect(uri) as conn:
        row = await (await conn.execute(_SUMMARY, {"ticket_prefix": ticket_prefix})).fetchone()
    if row is None:
        raise RuntimeError("an aggregate without grouping gave no row")
    return Summary(**row)


async def refunds(uri: str, ticket_prefix: str = "") -> list[dict[str, Any]]:
    """The refunds of those tickets, oldest first: made_at, ticket_id, order_id, amount_usd, provider, reference."""
    async with await connect(uri) as conn:
        return await (await conn.execute(_REFUNDS, {"ticket_prefix": ticket_prefix})).fetchall()

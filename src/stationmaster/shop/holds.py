"""Refunds that a payment provider was asked for and has not confirmed: the order's money is set aside until it does."""

from pathlib import Path
from typing import Any

from stationmaster.errors import StationmasterError
from stationmaster.postgres import connect
from stationmaster.postgres.queries import load as load_queries

_SQL = load_queries(Path(__file__).with_suffix(".sql"))
_LIST, _RELEASE = _SQL["list"], _SQL["release"]


class NoSuchHold(StationmasterError):
    """Nothing is held under that key (any more)."""


async def held(uri: str, ticket_prefix: str = "") -> list[dict[str, Any]]:
    """Those of the tickets whose id starts so, oldest first: held_since, key, ticket_id, order_id, amount_usd."""
    async with await connect(uri) as conn:
        return await (await conn.execute(_LIST, {"ticket_prefix": ticket_prefix})).fetchall()


async def release(uri: str, key: str) -> dict[str, Any]:
    """Give the order its money back: {key, ticket_id, order_id, amount_usd}. NoSuchHold.

    Only for what the provider surely did not pay. If it did, the same request again finds its answer under the same
    key, and the hold becomes the refund; released, the money could be paid twice.
    """
    async with await connect(uri) as conn:
        found = await (await conn.execute(_RELEASE, {"key": key})).fetchone()
    if found is None:
        raise NoSuchHold(f"nothing is held under {key}: `stationmaster shop holds list` shows what is")
    return found

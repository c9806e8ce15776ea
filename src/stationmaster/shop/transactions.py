"""The treasury's transactions for operators: what there is, and settling by hand what the bank did not answer for."""

from pathlib import Path
from typing import Any

from stationmaster.errors import StationmasterError
from stationmaster.postgres import connect
from stationmaster.postgres.queries import load as load_queries

_SQL = load_queries(Path(__file__).with_suffix(".sql"))
_LISTED, _EXECUTED, _FAILED = _SQL["listed"], _SQL["settle_executed"], _SQL["settle_failed"]


class NothingToSettle(StationmasterError):
    """No transaction of that number is under way."""


async def listed(uri: str, tenant: str, status: str = "") -> list[dict[str, Any]]:
    """A tenant's transactions, newest first, at most 200: transaction_id, kind, amount_usd, what, status, ..."""
    async with await connect(uri) as conn:
        return await (await conn.execute(_LISTED, {"tenant": tenant, "status": status})).fetchall()


async def settle_executed(uri: str, tenant: str, transaction_id: int, bank_reference: str) -> None:
    """The bank has carried it out, under this reference. Raises NothingToSettle."""
    await _settle(
        uri, _EXECUTED, {"tenant": tenant, "transaction_id": transaction_id, "bank_reference": bank_reference}
    )


async def settle_failed(uri: str, tenant: str, transaction_id: int, why: str) -> None:
    """The bank has not carried it out and never will: its reference may be asked for again. Raises NothingToSettle."""
    await _settle(uri, _FAILED, {"tenant": tenant, "transaction_id": transaction_id, "why": why})


async def _settle(uri: str, query: Any, asked: dict[str, Any]) -> None:
    async with await connect(uri) as conn:
        if await (await conn.execute(query, asked)).fetchone() is None:
            raise NothingToSettle(
                f"transaction {asked['transaction_id']} of {asked['tenant']} is not under way: "
                "`stationmaster shop transactions list --status executing` shows which are"
            )

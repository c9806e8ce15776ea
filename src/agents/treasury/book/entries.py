"""Transactions in the book: entered once, found by their key, cancelled while they wait."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from psycopg.errors import UniqueViolation

from agents.shared.database import Connection, connection
from agents.shared.errors import PermanentError
from agents.shared.queries import load
from agents.treasury.state import Proposal, Verdict

_SQL = load(__file__)
_CANCEL_WAITING, _ENTER, _FIND, _LOCK = _SQL["cancel_waiting"], _SQL["enter"], _SQL["find"], _SQL["lock"]
_CANCEL = _SQL["cancel"]


class NotEntered(PermanentError):
    """There is no such transaction of this tenant."""


class Duplicate(PermanentError):
    """The same reference of the same payee was entered by somebody else first."""


@dataclass(frozen=True)
class Entered:
    """A transaction as the book has it."""

    transaction_id: int
    amount: Decimal
    requested_by: str
    signatures_needed: int
    digest: str
    status: str
    why: str | None
    bank_reference: str | None
    details: dict[str, Any]


async def enter(
    tenant: str, request: str, proposal: Proposal, verdict: Verdict, risk: int | None, requested_by: str
) -> str:
    """Enter what was checked, once for its key, and drop what the thread had waiting before.

    Returns who asked for it: whoever entered it first. Raises Duplicate.
    """
    columns: dict[str, Any] = dict.fromkeys(
        ("beneficiary", "account", "reference", "side", "symbol", "quantity")
    )
    row = {**columns, **proposal, "tenant": tenant, "request": request, "risk": risk}
    row["requested_by"] = requested_by
    row |= {name: verdict[name] for name in ("key", "digest", "signatures_needed")}
    row["amount_usd"] = Decimal(str(verdict["amount_usd"]))
    dropped = {"tenant": tenant, "request": request, "key": verdict["key"], "why": "another request came"}
    try:
        async with connection() as conn:
            await conn.execute(_CANCEL_WAITING, dropped)
            await conn.execute(_ENTER, row)
            return (await find_in(conn, tenant, verdict["key"])).requested_by
    except UniqueViolation as error:
        raise Duplicate("this reference of this payee was entered by another request first") from error


async def find(tenant: str, key: str) -> Entered:
    """The transaction. Raises NotEntered."""
    async with connection() as conn:
        return await find_in(conn, tenant, key)


async def requester_of(tenant: str, key: str) -> str | None:
    """Who asked for a transaction, or None if there is none."""
    try:
        return (await find(tenant, key)).requested_by
    except NotEntered:
        return None


async def cancel(tenant: str, key: str, why: str) -> None:
    """Nobody waits for it any more."""
    async with connection() as conn:
        await cancel_in(conn, tenant, key, why)


async def cancel_waiting(tenant: str, thread: str, why: str) -> None:
    """Nobody waits any more for what the thread has waiting."""
    async with connection() as conn:
        dropped = {"tenant": tenant, "request": f"{thread}:0", "key": "", "why": why}
        await conn.execute(_CANCEL_WAITING, dropped)


async def find_in(conn: Connection, tenant: str, key: str, *, lock: bool = False) -> Entered:
    """The same in a transaction of the caller; with `lock` nobody else moves it until that ends."""
    row = await (await conn.execute(_LOCK if lock else _FIND, {"tenant": tenant, "key": key})).fetchone()
    if row is None:
        raise NotEntered(f"tenant {tenant!r} has no transaction {key!r}")
    details = ("kind", "beneficiary", "account", "reference", "side", "symbol", "quantity")
    return Entered(
        amount=row["amount_usd"],
        details={name: row[name] for name in details},
        **{name: row[name] for name in (
            "transaction_id", "requested_by", "signatures_needed", "digest", "status", "why", "bank_reference"
        )},
    )  # fmt: skip


async def cancel_in(conn: Connection, tenant: str, key: str, why: str) -> None:
    """See `cancel`."""
    await conn.execute(_CANCEL, {"tenant": tenant, "key": key, "why": why})

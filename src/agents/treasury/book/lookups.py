"""What is looked up in the book: limits, what went out, whom the sanctions lists know, what was paid before."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from agents.shared.database import Connection, connection
from agents.shared.errors import PermanentError
from agents.shared.queries import load

_SQL = load(__file__)
_LIMITS, _SPENT, _LOADED = _SQL["limits"], _SQL["spent_today"], _SQL["list_is_loaded"]
_SCREEN, _INSTRUMENT, _HELD = _SQL["screen"], _SQL["instrument"], _SQL["held"]
_PAID_BEFORE, _ALIKE, _KNOWN = _SQL["paid_before"], _SQL["alike"], _SQL["known_payee"]
_PAID_TODAY = _SQL["paid_today"]


class NoSanctionsList(PermanentError):
    """No sanctions list is loaded, so nobody can be paid: fill treasury.sanctions (`stationmaster shop seed` does)."""


@dataclass(frozen=True)
class Limits:
    """A tenant's limits in USD; `inboxes` are callers whose word on who decided is taken."""

    signature_above_usd: float
    two_above_usd: float
    largest_usd: float
    daily_usd: float
    inboxes: tuple[str, ...]


@dataclass(frozen=True)
class Hit:
    """A sanctions entry that a payee may be. `sure`: by account, or by the whole name."""

    entry: str
    listed_in: str
    name: str
    sure: bool

    def __str__(self) -> str:
        return f"{self.entry} ({self.listed_in}): {self.name}"


async def limits(tenant: str) -> Limits:
    """What the tenant is bound to."""
    async with connection() as conn:
        return await limits_in(conn, tenant)


async def spent_today(tenant: str, key: str) -> float:
    """USD that went out today or is on its way, without `key` itself."""
    async with connection() as conn:
        return await spent_in(conn, tenant, key)


async def screen(tenant: str, beneficiary: str, account: str) -> list[Hit]:
    """Whom the sanctions lists know by that name or account, surest first. Raises NoSanctionsList."""
    async with connection() as conn:
        return await screen_in(conn, tenant, beneficiary, account)


async def price_of(symbol: str) -> float | None:
    """USD a share, or None for what is not traded."""
    async with connection() as conn:
        row = await (await conn.execute(_INSTRUMENT, {"symbol": symbol})).fetchone()
    return row["price_usd"] if row else None


async def held(tenant: str, symbol: str, key: str) -> int:
    """Shares that the tenant has to sell."""
    async with connection() as conn:
        return await held_in(conn, tenant, symbol, key)


async def paid_before(tenant: str, account: str, reference: str, thread: str, key: str) -> str | None:
    """What is known of the same reference of the same payee, in words, or None."""
    asked = {"tenant": tenant, "account": account, "reference": reference, "thread": thread, "key": key}
    async with connection() as conn:
        row = await (await conn.execute(_PAID_BEFORE, asked)).fetchone()
    return (
        f"transaction {row['transaction_id']} (${row['amount_usd']:,.2f}, {row['status']})" if row else None
    )


async def alike(tenant: str, account: str, amount: float, thread: str) -> list[str]:
    """Payments of the last week that differ in their reference only, in words."""
    asked = {"tenant": tenant, "account": account, "amount": Decimal(str(amount)), "thread": thread}
    async with connection() as conn:
        rows = await (await conn.execute(_ALIKE, asked)).fetchall()
    return [f"transaction {row['transaction_id']} ({row['reference']}, {row['status']})" for row in rows]


async def paid_to(tenant: str, account: str, thread: str) -> float:
    """USD that went to one payee in the last 24 hours, are on their way, or wait in another thread."""
    async with connection() as conn:
        return (await one_row(conn, _PAID_TODAY, tenant=tenant, account=account, thread=thread))["usd"]


async def is_known_payee(tenant: str, account: str) -> bool:
    """Whether money went to this account before."""
    async with connection() as conn:
        return (await one_row(conn, _KNOWN, tenant=tenant, account=account))["known"]


def over_the_day(spent: float, amount: float, bound: Limits) -> str:
    """How the day's limit is said to be passed."""
    return f"${amount:,.2f} after ${spent:,.2f} today would pass the day's limit of ${bound.daily_usd:,.2f}"


async def limits_in(conn: Connection, tenant: str) -> Limits:
    """The same in a transaction of the caller, as all that follow."""
    row = await one_row(conn, _LIMITS, tenant=tenant)
    return Limits(**{**row, "inboxes": tuple(row["inboxes"])})


async def spent_in(conn: Connection, tenant: str, key: str) -> float:
    """See `spent_today`."""
    return (await one_row(conn, _SPENT, tenant=tenant, key=key))["usd"]


async def held_in(conn: Connection, tenant: str, symbol: str, key: str) -> int:
    """See `held`."""
    return (await one_row(conn, _HELD, tenant=tenant, symbol=symbol, key=key))["quantity"]


async def screen_in(conn: Connection, tenant: str, beneficiary: str, account: str) -> list[Hit]:
    """See `screen`."""
    if not (await one_row(conn, _LOADED))["loaded"]:
        raise NoSanctionsList
    asked = {"tenant": tenant, "beneficiary": beneficiary, "account": account}
    rows = await (await conn.execute(_SCREEN, asked)).fetchall()
    return [Hit(row["entry"], row["list"], row["name"], row["by_account"] or row["by_name"]) for row in rows]


async def one_row(conn: Connection, query: Any, **asked: Any) -> Any:
    """The row of a query that always has one."""
    row = await (await conn.execute(query, asked)).fetchone()
    if row is None:
        raise RuntimeError("a query that always has one row had none")
    return row

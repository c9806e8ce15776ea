"""The treasury's book in Postgres: what is checked against it, who signed, what goes out. Each statement has a tenant.

What must never happen is a constraint there: above $10,000 without two signatures nothing begins, whatever state says.
"""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from psycopg.errors import CheckViolation, UniqueViolation

from agents.shared.database import Connection, connection
from agents.shared.errors import PermanentError
from agents.shared.queries import load
from agents.treasury.state import Proposal, Verdict

_SQL = load(__file__)
_LIMITS, _SPENT, _LOADED = _SQL["limits"], _SQL["spent_today"], _SQL["list_is_loaded"]
_SCREEN, _INSTRUMENT, _HELD = _SQL["screen"], _SQL["instrument"], _SQL["held"]
_PAID_BEFORE, _ALIKE, _KNOWN = _SQL["paid_before"], _SQL["alike"], _SQL["known_payee"]
_CANCEL_WAITING, _ENTER, _FIND, _LOCK = (
    _SQL["cancel_waiting"],
    _SQL["enter"],
    _SQL["find"],
    _SQL["lock"],
)
_OFFICER, _SIGN, _SIGNERS = _SQL["officer"], _SQL["sign"], _SQL["signers"]
_ONE_AT_A_TIME, _BEGIN, _FINISH = _SQL["one_at_a_time"], _SQL["begin"], _SQL["finish"]
_FAIL, _CANCEL = _SQL["fail"], _SQL["cancel"]


class NoSanctionsList(PermanentError):
    """No sanctions list is loaded, so nobody can be paid: fill treasury.sanctions (`stationmaster shop seed` does)."""


class NotEntered(PermanentError):
    """There is no such transaction of this tenant."""


class Duplicate(PermanentError):
    """The same reference of the same payee was entered by somebody else first."""


class Unsigned(PermanentError):
    """It lacks signatures, and the book begins nothing without."""


class MayNotSign(PermanentError):
    """This person may not sign this transaction."""


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


async def limits(tenant: str) -> Limits:
    """What the tenant is bound to."""
    async with connection() as conn:
        return await _limits(conn, tenant)


async def spent_today(tenant: str, key: str) -> float:
    """USD that went out today or is on its way, without `key` itself."""
    async with connection() as conn:
        return (await _row(conn, _SPENT, tenant=tenant, key=key))["usd"]


async def screen(tenant: str, beneficiary: str, account: str) -> list[Hit]:
    """Whom the sanctions lists know by that name or account, surest first. Raises NoSanctionsList."""
    async with connection() as conn:
        return await _screen(conn, tenant, beneficiary, account)


async def price_of(symbol: str) -> float | None:
    """USD a share, or None for what is not traded."""
    async with connection() as conn:
        row = await (await conn.execute(_INSTRUMENT, {"symbol": symbol})).fetchone()
    return row["price_usd"] if row else None


async def held(tenant: str, symbol: str, key: str) -> int:
    """Shares that the tenant has to sell."""
    async with connection() as conn:
        return (await _row(conn, _HELD, tenant=tenant, symbol=symbol, key=key))["quantity"]


async def paid_before(tenant: str, account: str, reference: str, thread: str) -> str | None:
    """What is known of the same reference of the same payee, in words, or None."""
    asked = {"tenant": tenant, "account": account, "reference": reference, "thread": thread}
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


async def is_known_payee(tenant: str, account: str) -> bool:
    """Whether money went to this account before."""
    async with connection() as conn:
        return (await _row(conn, _KNOWN, tenant=tenant, account=account))["known"]


async def enter(tenant: str, request: str, proposal: Proposal, verdict: Verdict, risk: int | None) -> None:
    """Enter what was checked, once for its key, and drop what the thread had waiting before. Raises Duplicate."""
    columns: dict[str, Any] = dict.fromkeys(
        ("beneficiary", "account", "reference", "side", "symbol", "quantity")
    )
    row = {**columns, **proposal, "tenant": tenant, "request": request, "risk": risk}
    row |= {name: verdict[name] for name in ("key", "digest", "signatures_needed", "requested_by")}
    row["amount_usd"] = Decimal(str(verdict["amount_usd"]))
    dropped = {"tenant": tenant, "request": request, "key": verdict["key"], "why": "another request came"}
    try:
        async with connection() as conn:
            await conn.execute(_CANCEL_WAITING, dropped)
            await conn.execute(_ENTER, row)
    except UniqueViolation as error:
        raise Duplicate("this reference of this payee was entered by another request first") from error


async def find(tenant: str, key: str) -> Entered:
    """The transaction. Raises NotEntered."""
    async with connection() as conn:
        return await _find(conn, _FIND, tenant, key)


async def is_officer(tenant: str, name: str) -> bool:
    """Whether somebody may sign with a key of his own."""
    async with connection() as conn:
        return (await _row(conn, _OFFICER, tenant=tenant, name=name))["is_one"]


async def sign(tenant: str, key: str, signer: str, digest: str, note: str) -> bool:
    """Add a signature; False when that person has signed already. Raises MayNotSign and NotEntered."""
    row = {"tenant": tenant, "key": key, "signer": signer, "digest": digest, "note": note}
    try:
        async with connection() as conn:
            await _find(conn, _FIND, tenant, key)
            return await (await conn.execute(_SIGN, row)).fetchone() is not None
    except CheckViolation as error:
        raise MayNotSign(_why_not(signer, error.diag.constraint_name)) from error


async def signers(tenant: str, key: str) -> list[str]:
    """Who has signed, in order."""
    async with connection() as conn:
        rows = await (await conn.execute(_SIGNERS, {"tenant": tenant, "key": key})).fetchall()
    return [row["signer"] for row in rows]


@dataclass(frozen=True)
class Stopped:
    """Why a transaction that was signed is not carried out after all: the world moved while it waited."""

    outcome: str
    why: str


async def begin(tenant: str, key: str) -> Entered | Stopped:
    """Count the money as gone, after looking again at what may have changed while people decided.

    A transaction that is under way or done comes back as it is: its key makes asking again harmless.
    Raises Unsigned, NotEntered, NoSanctionsList.
    """
    try:
        async with connection() as conn:
            await conn.execute(_ONE_AT_A_TIME, {"tenant": tenant})
            entered = await _find(conn, _LOCK, tenant, key)
            if entered.status in ("cancelled", "failed"):
                return Stopped(
                    "withdrawn", f"the book has it as {entered.status} ({entered.why}): ask for it anew"
                )
            if entered.status != "checked":
                return entered
            stopped = await _changed(conn, tenant, key, entered)
            if stopped:
                await conn.execute(_CANCEL, {"tenant": tenant, "key": key, "why": stopped.why})
                return stopped
            await conn.execute(_BEGIN, {"tenant": tenant, "key": key})
            return entered
    except CheckViolation as error:
        if error.diag.constraint_name != "transactions_signed":
            raise
        raise Unsigned(f"there are only {error.diag.message_primary}") from error


async def finish(tenant: str, key: str, bank_reference: str, risk: int | None) -> None:
    """The bank has carried it out."""
    row = {"tenant": tenant, "key": key, "bank_reference": bank_reference, "risk": risk}
    async with connection() as conn:
        await conn.execute(_FINISH, row)


async def fail(tenant: str, key: str, why: str) -> None:
    """The bank has surely not carried it out; the same reference may be asked for again."""
    async with connection() as conn:
        await conn.execute(_FAIL, {"tenant": tenant, "key": key, "why": why})


async def cancel(tenant: str, key: str, why: str) -> None:
    """Nobody waits for it any more."""
    async with connection() as conn:
        await conn.execute(_CANCEL, {"tenant": tenant, "key": key, "why": why})


async def _changed(conn: Connection, tenant: str, key: str, entered: Entered) -> Stopped | None:
    bound, details = await _limits(conn, tenant), entered.details
    spent = (await _row(conn, _SPENT, tenant=tenant, key=key))["usd"]
    if spent + float(entered.amount) > bound.daily_usd:
        return Stopped("over_limit", over_the_day(spent, float(entered.amount), bound))
    if details["side"] == "sell":
        has = (await _row(conn, _HELD, tenant=tenant, symbol=details["symbol"], key=key))["quantity"]
        if has < details["quantity"]:
            return Stopped("not_held", f"there are only {has} shares of {details['symbol']} to sell by now")
    if details["kind"] == "payment":
        hits = await _screen(conn, tenant, details["beneficiary"], details["account"])
        if hits:
            outcome = "sanctioned" if hits[0].sure else "held"
            return Stopped(outcome, f"the payee is on a sanctions list by now: {hits[0]}")
    return None


def over_the_day(spent: float, amount: float, bound: Limits) -> str:
    """How the day's limit is said to be passed."""
    return f"${amount:,.2f} after ${spent:,.2f} today would pass the day's limit of ${bound.daily_usd:,.2f}"


async def _limits(conn: Connection, tenant: str) -> Limits:
    row = await _row(conn, _LIMITS, tenant=tenant)
    return Limits(**{**row, "inboxes": tuple(row["inboxes"])})


async def _screen(conn: Connection, tenant: str, beneficiary: str, account: str) -> list[Hit]:
    if not (await _row(conn, _LOADED))["loaded"]:
        raise NoSanctionsList
    asked = {"tenant": tenant, "beneficiary": beneficiary, "account": account}
    rows = await (await conn.execute(_SCREEN, asked)).fetchall()
    return [Hit(row["entry"], row["list"], row["name"], row["by_account"] or row["by_name"]) for row in rows]


async def _find(conn: Connection, query: Any, tenant: str, key: str) -> Entered:
    row = await (await conn.execute(query, {"tenant": tenant, "key": key})).fetchone()
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


async def _row(conn: Connection, query: Any, **asked: Any) -> Any:
    row = await (await conn.execute(query, asked)).fetchone()
    if row is None:
        raise RuntimeError("a query that always has one row had none")
    return row


def _why_not(signer: str, constraint: str | None) -> str:
    if constraint == "signatures_four_eyes":
        if signer == "local":
            return "this machine's own key names nobody, and two different people have to sign: answer in the inbox"
        return f"{signer} asked for this, and nobody signs what they asked for: somebody else has to"
    return f"{signer}'s signature is for something else, or comes too late: look at what is asked now"

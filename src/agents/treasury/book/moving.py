"""A transaction on its way out: begun once it is signed and nothing stands against it, then finished or failed."""

from dataclasses import dataclass

from psycopg.errors import CheckViolation

from agents.shared.database import Connection, connection
from agents.shared.errors import PermanentError
from agents.shared.payments import PaymentUnrecorded
from agents.shared.queries import load
from agents.treasury.book.entries import Entered, cancel_in, find_in
from agents.treasury.book.lookups import held_in, limits_in, over_the_day, screen_in, spent_in

_SQL = load(__file__)
_ONE_AT_A_TIME, _BEGIN, _FINISH, _FAIL = _SQL["one_at_a_time"], _SQL["begin"], _SQL["finish"], _SQL["fail"]


class Unsigned(PermanentError):
    """It lacks signatures, and the book begins nothing without."""


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
            entered = await find_in(conn, tenant, key, lock=True)
            if entered.status in ("cancelled", "failed"):
                return Stopped("withdrawn", f"the book has it as {entered.status}: ask for it anew")
            if entered.status != "checked":
                return entered
            stopped = await _changed(conn, tenant, key, entered)
            if stopped:
                await cancel_in(conn, tenant, key, stopped.why)
                return stopped
            await conn.execute(_BEGIN, {"tenant": tenant, "key": key})
            return entered
    except CheckViolation as error:
        if error.diag.constraint_name != "transactions_signed":
            raise
        raise Unsigned(f"there are only {error.diag.message_primary}") from error


async def finish(tenant: str, key: str, bank_reference: str, risk: int | None) -> None:
    """The bank has carried it out. Raises PaymentUnrecorded where it was settled otherwise meanwhile."""
    row = {"tenant": tenant, "key": key, "bank_reference": bank_reference, "risk": risk}
    async with connection() as conn:
        if await (await conn.execute(_FINISH, row)).fetchone() is None:
            entered = await find_in(conn, tenant, key)
            if entered.bank_reference != bank_reference:
                raise PaymentUnrecorded(_settled(key, entered, f"carried it out as {bank_reference}"))


async def fail(tenant: str, key: str, why: str) -> None:
    """The bank has surely not carried it out; the same reference may be asked for again.

    Raises PaymentUnrecorded where it was settled otherwise meanwhile.
    """
    async with connection() as conn:
        failed = await (await conn.execute(_FAIL, {"tenant": tenant, "key": key, "why": why})).fetchone()
        if failed is None:
            entered = await find_in(conn, tenant, key)
            if entered.status != "failed":
                raise PaymentUnrecorded(_settled(key, entered, "did not carry it out"), detail=why)


def _settled(key: str, entered: Entered, said: str) -> str:
    return (
        f"the bank {said}, and the book has it as {entered.status} by now: ask the bank about {key!r} and set it right "
        "by hand"
    )


async def _changed(conn: Connection, tenant: str, key: str, entered: Entered) -> Stopped | None:
    bound, details = await limits_in(conn, tenant), entered.details
    spent = await spent_in(conn, tenant, key)
    if spent + float(entered.amount) > bound.daily_usd:
        return Stopped("over_limit", over_the_day(spent, float(entered.amount), bound))
    if details["side"] == "sell":
        has = await held_in(conn, tenant, details["symbol"], key)
        if has < details["quantity"]:
            return Stopped("not_held", f"there are only {has} shares of {details['symbol']} to sell by now")
    if details["kind"] == "payment":
        hits = await screen_in(conn, tenant, details["beneficiary"], details["account"])
        if hits:
            outcome = "sanctioned" if hits[0].sure else "held"
            return Stopped(outcome, f"the payee is on a sanctions list by now: {hits[0]}")
    return None

"""Who signed a transaction, and who may."""

from psycopg.errors import CheckViolation

from agents.shared.database import connection
from agents.shared.errors import PermanentError
from agents.shared.queries import load
from agents.treasury.book.entries import find_in
from agents.treasury.book.lookups import one_row

_SQL = load(__file__)
_OFFICER, _SIGN, _SIGNERS = _SQL["officer"], _SQL["sign"], _SQL["signers"]
_ASKED = _SQL["asked_on_thread"]
LOCAL = "local"
"""The key of the machine itself; it names nobody, and signs where one signature is enough."""


class MayNotSign(PermanentError):
    """This person may not sign this transaction."""


async def is_officer(tenant: str, name: str) -> bool:
    """Whether somebody may sign with a key of his own."""
    async with connection() as conn:
        return (await one_row(conn, _OFFICER, tenant=tenant, name=name))["is_one"]


async def sign(tenant: str, key: str, signer: str, digest: str, note: str) -> bool:
    """Add a signature; False when that person has signed already. Raises MayNotSign and NotEntered."""
    row = {"tenant": tenant, "key": key, "signer": signer, "digest": digest, "note": note}
    try:
        async with connection() as conn:
            await find_in(conn, tenant, key)
            asked = await one_row(conn, _ASKED, tenant=tenant, key=key, name=signer)
            if asked["is_so"] and signer != LOCAL:
                raise MayNotSign(_why_not(signer, "signatures_four_eyes"))
            return await (await conn.execute(_SIGN, row)).fetchone() is not None
    except CheckViolation as error:
        raise MayNotSign(_why_not(signer, error.diag.constraint_name)) from error


async def signers(tenant: str, key: str) -> list[str]:
    """Who has signed, in order."""
    async with connection() as conn:
        rows = await (await conn.execute(_SIGNERS, {"tenant": tenant, "key": key})).fetchall()
    return [row["signer"] for row in rows]


def _why_not(signer: str, constraint: str | None) -> str:
    if constraint == "signatures_four_eyes":
        if signer == LOCAL:
            return "this machine's own key names nobody, and two different people have to sign: answer in the inbox"
        return (
            f"{signer} asked for this, or for something else on this thread, and nobody signs what they asked for: "
            "somebody else has to"
        )
    return f"{signer}'s signature is for something else, or comes too late: look at what is asked now"

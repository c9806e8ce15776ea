"""Outgoing mail: queued once for each idempotency key."""

from agents.shared.callers import MAIN
from agents.shared.database import connection
from agents.shared.queries import load
from agents.shared.shop import SUPPORT_DESK
from agents.shared.shop.text import storable

__all__ = ["SUPPORT_DESK", "queue_mail"]

_QUEUE = load(__file__)["queue_mail"]


async def queue_mail(
    *, key: str, ticket_id: str, to: str, subject: str, body: str, tenant: str = MAIN
) -> bool:
    """Queue a mail; False when that key is queued already, and then the first one stays as it is.

    `tenant`: for whom it is sent; the key has to hold it, since all tenants' keys are in one table.

    Raises DatabaseUnavailable; psycopg.errors.CheckViolation for an address without @ or an empty text.
    """
    mail = {"key": key, "ticket_id": ticket_id, "recipient": to, "subject": subject, "body": body}
    mail = {name: storable(value) for name, value in mail.items()} | {"tenant": tenant}
    async with connection() as conn:
        row = await (await conn.execute(_QUEUE, mail)).fetchone()
    return row is not None

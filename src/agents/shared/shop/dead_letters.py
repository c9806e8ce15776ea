"""Dead letters: cases that the agents could not handle, kept for a person with the reason."""

from collections.abc import Mapping

from psycopg.types.json import Jsonb

from agents.shared.database import connection
from agents.shared.queries import load

_BURY = load(__file__)["bury"]


async def bury(
    *,
    key: str,
    graph: str,
    node: str,
    ticket_id: str | None,
    thread_id: str | None,
    reason: str,
    detail: Mapping[str, object],
) -> bool:
    """Keep a case; False when that key is kept already, and then the first one stays as it is.

    `detail` must be JSON. Raises DatabaseUnavailable.
    """
    letter = {
        "key": key,
        "graph": graph,
        "node": node,
        "ticket_id": ticket_id,
        "thread_id": thread_id,
        "reason": reason,
        "detail": Jsonb(dict(detail)),
    }
    async with connection() as conn:
        row = await (await conn.execute(_BURY, letter)).fetchone()
    return row is not None

"""Dead letters: cases that the agents could not handle, kept for a person with the reason."""

import json
from collections.abc import Mapping

from psycopg.types.json import Jsonb

from agents.shared.callers import MAIN
from agents.shared.database import connection
from agents.shared.queries import load
from agents.shared.shop.text import storable

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
    tenant: str = MAIN,
) -> bool:
    """Keep a case; False when that key is kept already, and then the first one stays as it is.

    `detail` must be JSON; `tenant` is whose case it is, and the key has to hold it. Raises DatabaseUnavailable.
    """
    letter = {
        "tenant": tenant,
        "key": storable(key),
        "graph": graph,
        "node": node,
        "ticket_id": ticket_id,
        "thread_id": thread_id,
        "reason": storable(reason),
        "detail": Jsonb(dict(detail), dumps=_dumps),
    }
    async with connection() as conn:
        row = await (await conn.execute(_BURY, letter)).fetchone()
    return row is not None


def _dumps(detail: object) -> str:
    # Not ASCII: an escaped NUL is JSON, but not jsonb.
    return storable(json.dumps(detail, ensure_ascii=False).replace("\\u0000", " "))

"""What paid searches came to, kept for a while: by tenant, and never a failure.

Why not LangGraph's node cache: it keeps what a node wrote, a note of a failure too; its key knows no tenant; and in
memory each process pays anew.
"""

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from psycopg.types.json import Jsonb

from agents.shared.database import connection
from agents.shared.queries import load
from agents.shared.retrieval.passages import Hit

_SQL = load(__file__)
_FIND, _KEEP, _FORGET = _SQL["find"], _SQL["keep"], _SQL["forget"]
MAX_MINUTES = 7 * 24 * 60
_DAYS = 8
_FORMAT = 1
"""Part of each key: a release that keeps another shape counts on, and finds none of the old."""


def key_of(**asked: Any) -> str:
    """What names a search: everything that its answer depends on."""
    text = json.dumps({**asked, "format": _FORMAT}, sort_keys=True)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


async def find(tenant: str, source: str, key: str, minutes: int) -> list[Hit] | None:
    """What the tenant's same search came to, unless that is too long ago or never was. Raises DatabaseUnavailable."""
    asked = {"tenant": tenant, "source": source, "key": key, "minutes": min(minutes, MAX_MINUTES)}
    async with connection() as conn:
        row = await (await conn.execute(_FIND, asked)).fetchone()
    return [Hit(**hit) for hit in row["answer"]] if row else None


async def keep(tenant: str, source: str, key: str, hits: Sequence[Hit]) -> None:
    """Keep an answer. Raises DatabaseUnavailable."""
    answer = Jsonb([{"title": hit.title, "where": hit.where, "text": hit.text} for hit in hits])
    async with connection() as conn:
        await conn.execute(_KEEP, {"tenant": tenant, "source": source, "key": key, "answer": answer})
        await conn.execute(_FORGET, {"days": _DAYS})

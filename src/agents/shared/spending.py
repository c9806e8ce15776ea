"""Notes what model calls cost, as they are made: a thread's state knows its own cost, and nobody else's."""

import asyncio
import logging

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config

from agents.shared.callers import caller_of
from agents.shared.database import DatabaseNotConfigured, DatabaseUnavailable, connection
from agents.shared.errors import in_full
from agents.shared.limits import Usage
from agents.shared.offline import OFFLINE
from agents.shared.queries import load

_log = logging.getLogger(__name__)
_NOTE = load(__file__)["note_call"]
PATIENCE_S = 2.0
_AWAY = (DatabaseNotConfigured, DatabaseUnavailable, psycopg.Error, TimeoutError)


async def note(usage: Usage) -> None:
    """Note calls that cost something; each call of this is one more. An offline answer costs nothing and is left out.

    A note that can't be written is a line in the log: the answer was paid for, and is not thrown away for it.
    """
    rows = [
        {"node": node, "model": model, **row}
        for (node, _, model), row in ((key.partition("|"), row) for key, row in usage.items())
        if model != OFFLINE
    ]
    if not rows:
        return
    try:
        async with asyncio.timeout(PATIENCE_S), connection() as conn, conn.cursor() as cursor:
            await cursor.executemany(_NOTE, [{**row, **_run()} for row in rows])
    except _AWAY as exc:
        _log.warning("what a model call cost is not noted: %s", in_full(exc))


def _run() -> dict[str, str | None]:
    """Whose run it is, of which graph and thread; outside of a run nobody's."""
    try:
        config: RunnableConfig = get_config()
    except RuntimeError:
        config = {}
    set_up = config.get("configurable") or {}
    return {
        "tenant": caller_of(config).tenant,
        "graph": str(set_up.get("graph_id") or ""),
        "thread_id": set_up.get("thread_id"),
    }

"""What must be so before a server starts: Postgres new enough, the extension that its store needs, connections enough.

Each refusal names what is missing, and the way out.
"""

from pathlib import Path
from typing import Any

import psycopg
import structlog
from psycopg.rows import dict_row

from langgraph_runtime_community.config import config
from langgraph_runtime_community.connecting import options
from stationmaster.postgres.queries import load

STANDING = load(Path(__file__).with_name("premises.sql"))["standing"]
OLDEST = 15
BESIDE_THE_POOL = 2
"""One for the heartbeat, one for notifications."""
LEAST_OF_A_POOL = 2
logger = structlog.stdlib.get_logger(__name__)


async def require(uri: str, *, vectors: bool) -> None:
    """RuntimeError unless a server can work on the database. `vectors`: its store has an index."""
    connection = psycopg.AsyncConnection.connect(uri, autocommit=True, **options(uri, name="start"))
    async with await connection as conn, conn.cursor(row_factory=dict_row) as cursor:
        found = await (await cursor.execute(STANDING)).fetchone() or {}
    if reason := lacking(found, vectors=vectors):
        raise RuntimeError(reason)
    wanted = config().pool_size + BESIDE_THE_POOL
    if _counts(found) and found["free"] < wanted:
        logger.warning(
            "fewer connections are free than this process may want", free=found["free"], wanted=wanted,
            allowed=found["allowed"], way_out="raise max_connections, or lower COMMUNITY_RUNTIME_POOL_SIZE",
        )  # fmt: skip


def lacking(found: dict[str, Any], *, vectors: bool) -> str | None:
    """Why a server can't work there, from what the database says of itself; None where it can."""
    if found["version"] < OLDEST:
        return f"Postgres {found['version']} is too old: this server needs {OLDEST} or later; point DATABASE_URI to one"
    if vectors and not found["vector"]:
        return (
            'the extension "vector" is missing, which the index of the store in langgraph.json needs: install pgvector '
            "on the database's host, or take store.index out"
        )
    wanted = config().pool_size + BESIDE_THE_POOL
    if _counts(found) and found["allowed"] < wanted:
        return (
            f"Postgres allows {found['allowed']} connections, and a process of this server wants up to {wanted}: raise "
            "max_connections (or the role's or database's limit), or lower COMMUNITY_RUNTIME_POOL_SIZE"
        )
    if _counts(found) and found["free"] < LEAST_OF_A_POOL + BESIDE_THE_POOL:
        return (
            f"{found['free']} of the {found['allowed']} connections that Postgres allows are free, and a process of "
            f"this server needs {LEAST_OF_A_POOL + BESIDE_THE_POOL} to begin with: raise max_connections, or end others"
        )
    return None


def _counts(found: dict[str, Any]) -> bool:
    """Behind a pooler many connections are few, and what Postgres allows says nothing."""
    return bool(config().prepare) and found["allowed"] is not None

"""What the database holds: by table, by graph, by status, and what a prune would free."""

from pathlib import Path
from typing import Any

from stationmaster.postgres.connect import connect
from stationmaster.postgres.queries import load
from stationmaster.upkeep.database import Connection, one, prepare, rows
from stationmaster.upkeep.turns import NIGHT_BEGINS_AT

QUERIES = load(Path(__file__).with_name("holding.sql"))
Held = dict[str, Any]


async def held(uri: str, days: float) -> Held:
    """`database` {name, bytes, postgres}, `tables` [{name, bytes, rows}], and `server`: None where no durable
    server has been. All sizes in bytes; `days` of 0: nothing is pruned."""
    await prepare(uri)
    async with await connect(uri, autocommit=True) as conn, conn.transaction():  # one moment for all figures
        await conn.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        tables = await rows(conn, QUERIES["tables"])
        known = {table["name"] for table in tables}
        return {
            "database": await one(conn, QUERIES["database"]),
            "tables": tables,
            "server": await _of_server(conn, days) if "upkeep.passes" in known else None,
        }


async def _of_server(conn: Connection, days: float) -> Held:
    return {
        "graphs": await rows(conn, QUERIES["graphs"]),
        "threads": await rows(conn, QUERIES["threads"]),
        "runs": await rows(conn, QUERIES["runs"]),
        "webhooks": await rows(conn, QUERIES["webhooks"]),
        "prune": {"days": days, **(await would_prune(conn, days) if days else {})},
        "turn": await one(conn, QUERIES["turn"], {"hour": NIGHT_BEGINS_AT}),
        "passes": await rows(conn, QUERIES["passes"]),
    }


async def would_prune(conn: Connection, days: float) -> Held:
    """What a prune would do now: threads `deleted`, `trimmed`, `exported`, the `bytes` that it frees; and those
    `spared` because somebody is asked on them."""
    found = await one(conn, QUERIES["prune"], {"days": days})
    spared = await one(conn, QUERIES["spared"], {"days": days})
    return {**found, "spared": spared["threads"]}

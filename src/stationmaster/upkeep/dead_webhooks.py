"""Webhooks that were given up after a day: to be looked at, and to be sent after all."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from stationmaster.postgres.queries import load
from stationmaster.upkeep.database import Connection, one, rows
from stationmaster.upkeep.errors import NoSuchWebhook

QUERIES = load(Path(__file__).with_name("dead_webhooks.sql"))


async def dead(conn: Connection, limit: int) -> tuple[int, list[dict[str, Any]]]:
    """How many there are, and the newest of them: `hook_id`, `run_id`, `thread_id`, `url`, the run's `status`, `tries`,
    `last_error`, `created_at`, `dead_at`. What they tell is not shown: it holds the thread's values."""
    return (await one(conn, QUERIES["count"]))["dead"], await rows(conn, QUERIES["dead"], {"limit": limit})


async def replay(conn: Connection, hooks: Sequence[UUID] | None) -> list[dict[str, Any]]:
    """Give them, or all for None, another day: `hook_id`, `run_id`, `url` of each. All of them or none: NoSuchWebhook
    names one that was not given up."""
    async with conn.transaction():
        if hooks is not None:
            known = {row["hook_id"] for row in await rows(conn, QUERIES["known"], {"hooks": list(hooks)})}
            if missing := [hook for hook in hooks if hook not in known]:
                raise NoSuchWebhook(
                    f"no webhook {missing[0]} was given up: `stationmaster webhooks dead` lists those that were"
                )
        return await rows(conn, QUERIES["replay"], {"hooks": None if hooks is None else list(hooks)})

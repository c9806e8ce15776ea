"""Threads as a server leaves them, with rows in every table."""

import json
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from stationmaster.upkeep.database import Connection, rows

COLUMNS = """
SELECT table_schema || '.' || table_name AS name FROM information_schema.columns JOIN information_schema.tables
    USING (table_schema, table_name)
WHERE column_name = 'thread_id' AND table_schema IN ('public', 'server') AND table_type = 'BASE TABLE'
"""
ASSISTANT = UUID(int=1)


@dataclass
class Threads:
    """Makes them and counts what is left of them."""

    conn: Connection

    async def make(
        self, *, idle: float = 40, status: str = "idle", metadata: dict[str, Any] | None = None, steps: int = 3,
        asks: bool = False, graph: str = "support",
    ) -> UUID:  # fmt: skip
        """A thread idle for `idle` days with a run, `steps` checkpoints, blobs, writes and an event; `asks`: its newest
        checkpoint has a question, which its row does not tell."""
        thread = uuid4()
        name = str(thread)
        async with self.conn.transaction():
            await self.conn.execute(
                "INSERT INTO server.threads "
                "(thread_id, status, settled, metadata, values, updated_at, state_updated_at) "
                "SELECT %(id)s, %(status)s, %(status)s, %(metadata)s, '{\"said\": \"x\\ny\"}', idle, idle "
                "FROM (SELECT now() - %(age)s * interval '1 day' AS idle) AS since",
                {
                    "id": thread, "status": status, "age": idle,
                    "metadata": json.dumps({"graph_id": graph, **(metadata or {})}),
                },
            )  # fmt: skip
            run = await self.run(thread)
            for step in range(steps):
                ours = (name, f"{step:08d}", f"{step - 1:08d}" if step else None)
                await self.conn.execute(
                    "INSERT INTO checkpoints (thread_id, checkpoint_id, parent_checkpoint_id, checkpoint, metadata) "
                    "VALUES (%s, %s, %s, %s, '{}')",
                    (*ours, json.dumps({"channel_versions": {"said": str(step)}})),
                )
                await self.conn.execute(
                    "INSERT INTO checkpoint_blobs (thread_id, channel, version, type, blob) "
                    "VALUES (%s, 'said', %s, 'x', %s)",
                    (name, str(step), b"\x00" * 1000),
                )
                await self.write(thread, step, "said")
            if asks:
                await self.write(thread, steps - 1, "__interrupt__", index=-3)
            await self.conn.execute(
                "INSERT INTO server.events (run_id, base, number, thread_id, event, data) "
                "VALUES (%s, 1, 1, %s, 'e', '')",
                (run, thread),
            )
        return thread

    async def run(self, thread: UUID, status: str = "success") -> UUID:
        """A run of it."""
        run = uuid4()
        await self.conn.execute(
            "INSERT INTO server.runs (run_id, thread_id, assistant_id, status, kwargs, multitask_strategy, created_at, "
            'due_at) VALUES (%s, %s, %s, %s, \'{"input": {"a": 1}, "secret": "s3"}\', \'reject\', now(), now())',
            (run, thread, ASSISTANT, status),
        )
        return run

    async def write(self, thread: UUID, step: int, channel: str, index: int = 0) -> None:
        """A pending write of it."""
        await self.conn.execute(
            "INSERT INTO checkpoint_writes (thread_id, checkpoint_id, task_id, idx, channel, type, blob) "
            "VALUES (%s, %s, 't', %s, %s, 'x', 'w')",
            (str(thread), f"{step:08d}", index, channel),
        )

    async def webhook(self, thread: UUID, *, dead_days: float | None) -> UUID:
        """A webhook of it, given up so long ago, or still to send."""
        found = await rows(
            self.conn,
            "INSERT INTO server.outbox (run_id, thread_id, url, payload, dead_at, tries, last_error, created_at) "
            "VALUES (%s, %s, 'http://x', '{\"status\": \"success\"}', now() - %s * interval '1 day', 9, "
            "'answered 500', now() - interval '2 days') RETURNING hook_id",
            (uuid4(), thread, dead_days),  # pyright: ignore[reportArgumentType]
        )
        return found[0]["hook_id"]

    async def cron(self, thread: UUID) -> None:
        """A cron that runs on it."""
        async with self.conn.transaction():  # each of the two wants the other to be there at its end
            await self.conn.execute(
                "INSERT INTO server.assistants (assistant_id, graph_id, name, version) VALUES (%s, 'g', 'n', 1)",
                (ASSISTANT,),
            )
            await self.conn.execute(
                "INSERT INTO server.assistant_versions "
                "(assistant_id, version, graph_id, name, config, context, metadata) "
                "VALUES (%s, 1, 'g', 'n', '{}', '{}', '{}')",
                (ASSISTANT,),
            )
        await self.conn.execute(
            "INSERT INTO server.crons (cron_id, assistant_id, thread_id, schedule, payload, next_run_date) "
            "VALUES (%s, %s, %s, '0 0 * * *', '{}', now())",
            (uuid4(), ASSISTANT, thread),
        )

    async def review(self, thread: UUID) -> None:
        """A review of it that is open."""
        await self.conn.execute(
            "INSERT INTO reviews.reviews (thread_id, interrupt_id, digest, kind, shape, checkpoint_id, title, payload) "
            "VALUES (%s, 'i', %s, 'interrupt', 'plain', 'c', 't', '1')",
            (str(thread), "0" * 64),
        )

    async def left(self, thread: UUID) -> dict[str, int]:
        """How many rows there are of it, by table: of every table that knows threads."""
        found = {}
        for table in await rows(self.conn, COLUMNS):
            query = f"SELECT count(*) AS n FROM {table['name']} WHERE thread_id::text = %(thread)s"
            found[table["name"]] = (await rows(self.conn, query, {"thread": str(thread)}))[0]["n"]
        return {table: count for table, count in found.items() if count}

    async def checkpoints(self, thread: UUID) -> list[str]:
        """The ids of its checkpoints."""
        query = "SELECT checkpoint_id FROM checkpoints WHERE thread_id = %(thread)s ORDER BY 1"
        return [row["checkpoint_id"] for row in await rows(self.conn, query, {"thread": str(thread)})]

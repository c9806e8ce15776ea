"""What the tests with killed servers look at: the database itself, and states that are waited for."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import psycopg
from psycopg.rows import dict_row

from tests.fakes.graphs import ledger

PATIENCE_S = 60.0


@dataclass(frozen=True)
class World:
    """A database with servers on it."""

    uri: str

    def ask(self, query: str, *params: Any) -> list[dict[str, Any]]:
        """Rows."""
        with psycopg.Connection[dict[str, Any]].connect(
            self.uri, autocommit=True, row_factory=dict_row
        ) as conn:
            return conn.execute(query.encode(), params).fetchall()

    def change(self, query: str, *params: Any) -> int:
        """How many rows were touched."""
        with psycopg.connect(self.uri, autocommit=True) as conn:
            return conn.execute(query.encode(), params).rowcount

    def run(self, run_id: str) -> dict[str, Any]:
        """A run's row; empty if it is gone."""
        found = self.ask("SELECT * FROM server.runs WHERE run_id = %s", run_id)
        return found[0] if found else {}

    def saved_step(self, thread_id: str) -> int:
        """The last super-step of `steps` whose checkpoint is committed; -2 for none."""
        query = "SELECT coalesce(max((metadata ->> 'step')::int), -2) AS step FROM checkpoints WHERE thread_id = %s"
        return self.ask(query, thread_id)[0]["step"]

    def checkpoints(self, thread_id: str) -> list[str]:
        """The ids of a thread's checkpoints."""
        query = "SELECT checkpoint_id FROM checkpoints WHERE thread_id = %s ORDER BY 1"
        return [row["checkpoint_id"] for row in self.ask(query, thread_id)]

    def effects(self, key: str) -> list[str]:
        """What the graphs did for `key`, in order."""
        return [effect for effect, _ in ledger.read(self.uri, key)]

    async def until(self, holds: Callable[[], Any], what: str, patience_s: float = PATIENCE_S) -> Any:
        """Wait for something to be so."""
        deadline = time.monotonic() + patience_s
        while not (found := await asyncio.to_thread(holds)):
            assert time.monotonic() < deadline, f"{what}: not after {patience_s} s"
            await asyncio.sleep(0.05)
        return found

    async def ended(self, run_id: str, patience_s: float = PATIENCE_S) -> str:
        """The status of a run once it is over."""

        def over() -> str | None:
            status = self.run(run_id).get("status", "gone")
            return None if status in {"pending", "running"} else status

        return await self.until(over, f"run {run_id} is over", patience_s)


def key() -> str:
    """A name for the effects of one run."""
    return str(uuid4())


async def ignoring_cuts(call: Any) -> Any:
    """A call to a server that is killed meanwhile."""
    with suppress(Exception):
        return await call
    return None

"""Events that must outlive the process or reach another: written in batches, in order, before the run's end."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from langgraph_runtime_community import database
from langgraph_runtime_community.errors import RuntimeTrouble
from langgraph_runtime_community.identity import WORKER_ID
from langgraph_runtime_community.lease import Lease
from langgraph_runtime_community.sealing import blobs
from langgraph_runtime_community.streams.events import Event, EventId
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("keeping.sql"))
BATCH_S = 0.02
BATCH = 200


class Keeper:
    """What waits to be written, of all runs of this process."""

    def __init__(self) -> None:
        self._waiting: list[tuple[Lease, Event, Mapping[str, Any]]] = []
        self._writing = asyncio.Lock()
        self._timer: asyncio.TimerHandle | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    def keep(self, lease: Lease, event: Event) -> None:
        """Write it soon."""
        self._waiting.append((lease, event, blobs.context()))
        if len(self._waiting) >= BATCH:
            self._start()
        elif self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(BATCH_S, self._start)

    def _start(self) -> None:
        if self._timer:
            self._timer.cancel()
            self._timer = None
        task = asyncio.get_running_loop().create_task(self._quietly())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _quietly(self) -> None:
        try:
            await self.flush()
        except RuntimeTrouble:
            return  # they wait for the next time; the run itself notices what is wrong with the database

    async def flush(self) -> None:
        """Return once all that was handed over before is committed."""
        async with self._writing:
            batch, self._waiting = self._waiting, []
            if not batch:
                return
            try:
                await self._write(batch)
            except RuntimeTrouble:
                self._waiting = batch + self._waiting
                raise

    async def _write(self, batch: list[tuple[Lease, Event, Mapping[str, Any]]]) -> None:
        await database.execute(
            QUERIES["keep"],
            {
                "runs": [lease.run_id for lease, *_ in batch],
                "epochs": [lease.epoch for lease, *_ in batch],
                "threads": [lease.thread_id for lease, *_ in batch],
                "bases": [event.id[0] for _, event, _ in batch],
                "numbers": [event.id[1] for _, event, _ in batch],
                "events": [event.event for _, event, _ in batch],
                "data": [await blobs.seal(event.data, context) for _, event, context in batch],
                "told": sorted({f"e {lease.run_id}" for lease, *_ in batch if lease.shared}),
            },
        )


async def keep_for_listeners(thread_id: UUID, event: str, data: bytes) -> bool:
    """Keep an event of a thread itself, under the thread's id, if another process listens; whether it is kept."""
    sealed = await blobs.seal(data, blobs.context())
    params = {"thread_id": thread_id, "process": WORKER_ID, "event": event, "data": sealed}
    row = await database.fetch_one(QUERIES["keep_for_listeners"], params)
    return bool(row and row["kept"])


async def kept(run_id: UUID, after: EventId) -> list[Event]:
    """What was kept of a run, behind an id."""
    rows = await database.fetch(QUERIES["of_run"], {"run_id": run_id, "base": after[0], "number": after[1]})
    return [event_of(row) for row in rows]


async def kept_of_thread(thread_id: UUID, after: EventId) -> list[Event]:
    """What was kept of all runs of a thread, behind an id."""
    params = {"thread_id": thread_id, "base": after[0], "number": after[1]}
    return [event_of(row) for row in await database.fetch(QUERIES["of_thread"], params)]


async def forgotten_of_thread(thread_id: UUID, after: EventId) -> UUID | None:
    """The latest run of a thread whose events were kept behind an id, and are no more."""
    params = {"thread_id": thread_id, "base": after[0]}
    row = await database.fetch_one(QUERIES["forgotten_of_thread"], params)
    return row["run_id"] if row else None


def event_of(row: dict[str, object]) -> Event:
    """A row of server.events."""
    run_id, data = row["run_id"], row["data"]
    return Event(
        (int(str(row["base"])), int(str(row["number"]))),
        run_id if isinstance(run_id, UUID) and run_id != row["thread_id"] else None,
        str(row["event"]),
        bytes(data) if isinstance(data, bytes | memoryview) else b"",
    )


KEEPER = Keeper()

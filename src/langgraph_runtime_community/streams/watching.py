"""Runs that clients of this process wait for and that another process works on: one look a second for all of them,
sooner when told; so that idle streams hold no connection and ask nothing by themselves."""

import asyncio
import time
from typing import Any
from uuid import UUID

import structlog

from langgraph_runtime_community import database
from langgraph_runtime_community.config import config
from langgraph_runtime_community.errors import RuntimeTrouble
from langgraph_runtime_community.identity import WORKER_ID
from langgraph_runtime_community.streams.events import START, EventId, end_of
from langgraph_runtime_community.streams.hub import HUB
from langgraph_runtime_community.streams.keeping import QUERIES, event_of

LISTENS_S = 30.0
IN_FLIGHT = frozenset({"pending", "running"})
logger = structlog.stdlib.get_logger(__name__)


class Watcher:
    """Follows runs elsewhere for the hub. What it hands on may be known already: those who listen skip that by id."""

    def __init__(self) -> None:
        self.wake = asyncio.Event()
        self._seen: dict[UUID, EventId] = {}
        self._open: dict[UUID, UUID] = {}
        self._renewed = 0.0

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            try:
                async with asyncio.timeout(config().poll_s):
                    await self.wake.wait()
            except TimeoutError:
                pass
            self.wake.clear()
            try:
                await self.look()
            except RuntimeTrouble as error:
                logger.warning("can't follow runs of other processes", error=str(error))

    async def begin(self, key: UUID) -> None:
        """Follow a run or thread from what is kept of it by now, unless it is followed already."""
        if key not in self._seen:
            latest = await database.fetch_one(QUERIES["latest"], {"key": key})
            self._seen.setdefault(key, (latest["base"], latest["number"]) if latest else START)
        self.wake.set()

    async def listen(self, thread_id: UUID) -> None:
        """Follow a thread, and have whoever works on it tell its events through the database."""
        await self.begin(thread_id)
        await _listen_to([thread_id])

    def note(self, run_id: UUID) -> None:
        """The run is there and has told nothing yet: if it is missing from now on, it is gone."""
        self._seen.setdefault(run_id, START)

    async def look(self) -> None:
        """Hand on what came since the last look, and the ends of runs."""
        runs, threads = HUB.runs_elsewhere(), HUB.threads()
        followed = {*runs, *threads}
        self._seen = {key: seen for key, seen in self._seen.items() if key in followed}
        threads = [thread for thread in threads if thread in self._seen]  # others are about to be begun
        self._open = {run: thread for run, thread in self._open.items() if thread in threads}
        if not runs and not threads:
            return
        await self._renew(threads)
        # What may be new is asked before: a run that is made while we look is missing here, and not gone.
        new = {run_id for run_id in runs if self._may_be_new(run_id)}
        # Then the states: what a run wrote before it ended is then surely among the events.
        at_work = dict(self._open)
        rows = await _states(runs, threads)
        states = {row["run_id"]: row["status"] for row in rows}
        await self._hand_on(runs, threads)
        for run_id in runs:
            if states.get(run_id) in IN_FLIGHT or (run_id not in states and run_id in new):
                continue
            HUB.publish_to(HUB.listeners(run_id), end_of(run_id))
        self._tell_ends(
            at_work, {row["run_id"]: row["thread_id"] for row in rows if row["status"] in IN_FLIGHT}
        )

    def _tell_ends(self, at_work: dict[UUID, UUID], in_flight: dict[UUID, UUID]) -> None:
        """Of runs of followed threads that are in flight no more, however they ended: most told it themselves."""
        for run_id, thread_id in at_work.items():
            known = HUB.known(run_id)
            if run_id not in in_flight and not (known and known.here):
                self._open.pop(run_id, None)
                HUB.publish_to(HUB.thread_listeners(thread_id), end_of(run_id))
        self._open.update(
            {run_id: thread for run_id, thread in in_flight.items() if HUB.thread_listeners(thread)}
        )

    async def _renew(self, threads: list[UUID]) -> None:
        if threads and time.monotonic() - self._renewed > LISTENS_S / 3:
            self._renewed = time.monotonic()
            await _listen_to(threads)

    def _may_be_new(self, run_id: UUID) -> bool:
        """Clients listen before they make a run; that one is not there says nothing yet."""
        return HUB.known(run_id) is None and run_id not in self._seen

    async def _hand_on(self, runs: list[UUID], threads: list[UUID]) -> None:
        keys = [*runs, *threads]
        seen = [self._seen.get(key, START) for key in keys]
        params = {
            "keys": keys,
            "threads": [False] * len(runs) + [True] * len(threads),
            "bases": [base for base, _ in seen],
            "numbers": [number for _, number in seen],
        }
        for row in await database.fetch(QUERIES["of_many"], params):
            event = event_of(row)
            key = row["thread_id"] if row["of_thread"] else row["run_id"]
            self._seen[key] = event.id
            if row["of_thread"] and event.run_id and not event.is_end:
                self._open[event.run_id] = key
            HUB.publish_to(HUB.thread_listeners(key) if row["of_thread"] else HUB.listeners(key), event)


async def _states(runs: list[UUID], threads: list[UUID]) -> list[dict[str, Any]]:
    return await database.fetch(QUERIES["states"], {"runs": runs, "threads": threads})


async def _listen_to(threads: list[UUID]) -> None:
    params = {"threads": threads, "process": WORKER_ID, "seconds": LISTENS_S}
    await database.execute(QUERIES["listen_to"], params)


async def watch(run_id: UUID) -> None:
    """Ask the worker of a run, wherever it is, for its events."""
    await database.execute(QUERIES["watch"], {"run_id": run_id})


WATCHER = Watcher()

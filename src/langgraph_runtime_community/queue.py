"""The queue: claims runs for this process, starts the server's worker on each, and sees to it that every one of
them ends with a status, in the queue again, or as somebody else's."""

import asyncio
from contextvars import copy_context
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import structlog

from langgraph_runtime_community import attempts, database
from langgraph_runtime_community.config import config
from langgraph_runtime_community.errors import LeaseLost, RuntimeTrouble
from langgraph_runtime_community.identity import WORKER_ID
from langgraph_runtime_community.lease import LEASE, Lease
from langgraph_runtime_community.ops import ending
from langgraph_runtime_community.pulse import PULSE
from langgraph_runtime_community.resuming import as_continued
from langgraph_runtime_community.streams.gaps import tell_gap
from langgraph_runtime_community.streams.hub import HUB
from langgraph_runtime_community.streams.publishing import publish_end
from langgraph_runtime_community.work import BENCH, Bench
from stationmaster.postgres.queries import load

CLAIM = load(Path(__file__).parent / "ops" / "runs.sql")["claim"]
TRIES, TRY_AGAIN_S = 5, 1.0
RUN = (
    "run_id", "thread_id", "assistant_id", "created_at", "updated_at", "status", "metadata", "kwargs",
    "multitask_strategy", "langsmith_session_name",
)  # fmt: skip
logger = structlog.stdlib.get_logger(__name__)


class Queue:
    """One a process. `run` claims until cancelled; `drain` is the clean end."""

    def __init__(self, places: int) -> None:
        self.bench = Bench(places, self._begin)
        self._tasks: dict[UUID, asyncio.Task[None]] = {}
        self._around = copy_context()
        BENCH.set(self.bench)

    async def run(self) -> None:
        """Claim whenever there is room and something may be there: told by a wake-up, else by the clock."""
        while not self.bench.closed:
            self.bench.woken.clear()
            try:
                claimed = await self._claim() if self.bench.free and PULSE.fresh() else []
            except (RuntimeTrouble, psycopg.Error) as error:
                logger.warning("can't claim runs", error=str(error))
                claimed = []
            self.bench.behind = self.bench.free == 0 and bool(claimed)
            if claimed and self.bench.free:
                continue
            try:
                async with asyncio.timeout(config().poll_s):
                    await self.bench.woken.wait()
            except TimeoutError:
                pass

    def close(self) -> None:
        """Claim nothing more. Called from the signal handler: the rest of the shutdown comes later."""
        self.bench.closed = True
        self.bench.wake()

    async def drain(self, grace_s: float) -> None:
        """Let runs finish for a while; hand back those that have not."""
        self.close()
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=max(0.0, grace_s))
        for lease in self.bench.leases.values():
            lease.handing_back = True
        for task in list(self._tasks.values()):
            task.cancel("the process is asked to stop")
        if self._tasks:
            await asyncio.wait(list(self._tasks.values()), timeout=TRIES)
        BENCH.set(None)

    async def _claim(self) -> list[dict[str, Any]]:
        limit = self.bench.free
        with self.bench.promise(limit):
            found = await database.fetch(CLAIM, {"worker": WORKER_ID, "limit": limit})
            for row in found:
                self._begin(row)
        return found

    def _begin(self, row: dict[str, Any]) -> None:
        from langgraph_api.asyncio import ValueEvent

        lease = Lease(
            run_id=row["run_id"], thread_id=row["thread_id"], epoch=row["epoch"], attempt=row["attempt"],
            base=row["stream_base"], run={name: row[name] for name in RUN}, cancel=ValueEvent(),
            shared=row["watched"] or row["origin"] != WORKER_ID, spares=row["spares"],
            trouble=row["trouble"],
        )  # fmt: skip
        self.bench.leases[lease.run_id] = lease
        HUB.begins(lease.run_id, lease.thread_id, resumable=bool(lease.kwargs.get("resumable")))
        if row["cancel"]:
            self.bench.cancel(lease.run_id, row["cancel"], row["cancel_reason"])
        # Not in the context of the request that makes the run: what that was told (its key, its cron's slot) is not
        # for the runs that this one starts.
        task = asyncio.get_running_loop().create_task(
            self._work(lease), name=f"run-{lease.run_id}", context=self._around.copy()
        )
        self._tasks[lease.run_id] = task

    async def _work(self, lease: Lease) -> None:
        LEASE.set(lease)
        try:
            await self._attempt(lease)
        except LeaseLost:
            lease.lost = True
            logger.warning("a run was taken over by another worker", run_id=str(lease.run_id))
        except asyncio.CancelledError as error:
            lease.failed = attempts.in_words(error)
            logger.info("a run was interrupted by the end of the process", run_id=str(lease.run_id))
        except Exception as error:
            lease.failed = attempts.in_words(error)
            logger.exception("a worker failed", run_id=str(lease.run_id), exc_info=error)
        finally:
            await asyncio.shield(self._leave(lease))

    async def _attempt(self, lease: Lease) -> None:
        from langgraph_api.worker import worker

        # Not by the number of the attempt: what was handed back at a drain is none.
        continued = lease.epoch > 1 and await as_continued(lease)
        lease.used_up = attempts.used_up(lease)
        if continued and not attempts.was_told(lease):
            tell_gap(lease)
        if lease.spares and not continued and await ending.spared(lease):
            await publish_end(lease)
            return
        result = await worker(lease.run, lease.attempt, asyncio.get_running_loop())  # pyright: ignore[reportArgumentType]
        if lease.deletes_thread:
            await ending.end_stateless(lease, str(result["status"]), result["exception"])
            await publish_end(lease)

    async def _leave(self, lease: Lease) -> None:
        """Last of all: a run that nobody wrote an end for goes back into the queue."""
        try:
            if not lease.ended and not lease.lost:
                await self._put_back(lease)
        finally:
            if self.bench.leases.get(lease.run_id) is lease:  # else this process has the run again already
                del self.bench.leases[lease.run_id]
                del self._tasks[lease.run_id]
                HUB.leaves(lease.run_id, over=lease.over)
            self.bench.wake()

    async def _put_back(self, lease: Lease) -> None:
        """Tried a few times; if the database stays away the sweep finds the run, which is on no bench then."""
        for _ in range(TRIES):
            try:
                await ending.hand_back(lease)
            except RuntimeTrouble as error:
                logger.warning("can't put a run back yet", run_id=str(lease.run_id), error=str(error))
                await asyncio.sleep(TRY_AGAIN_S)
            else:
                return

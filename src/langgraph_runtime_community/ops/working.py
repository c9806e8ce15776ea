"""Around a worker: it can be cancelled, its end is told once it is written, and it stops where its run is gone."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from langgraph_runtime_community.lease import Lease
from langgraph_runtime_community.streams.publishing import publish_end
from langgraph_runtime_community.streams.watching import WATCHER
from langgraph_runtime_community.work import BENCH


@asynccontextmanager
async def entered(lease: Lease) -> AsyncIterator[Any]:
    """Yields the event that a cancellation sets. A worker that fails, or has lost its run, tells nobody of an end.

    Of a run whose thread goes with it the queue tells the end, once it has removed the thread.
    """
    yield lease.cancel
    if lease.ended and not lease.lost and not lease.temporary:
        await publish_end(lease)


def removed(thread_id: UUID, run_id: UUID | None = None) -> None:
    """A run, or a thread with all of them, was removed: workers here stop, and those who wait are told."""
    bench = BENCH.get()
    for lease in list(bench.leases.values()) if bench else []:
        if lease.thread_id == thread_id and run_id in (None, lease.run_id):
            lease.lose()
    WATCHER.wake.set()

"""Around a worker: it can be cancelled, and its end is told once it is written."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from langgraph_runtime_community.lease import Lease
from langgraph_runtime_community.streams.publishing import publish_end


@asynccontextmanager
async def entered(lease: Lease) -> AsyncIterator[Any]:
    """Yields the event that a cancellation sets. A worker that fails, or has lost its run, tells nobody of an end.

    Of a run whose thread goes with it the queue tells the end, once it has removed the thread.
    """
    yield lease.cancel
    if lease.ended and not lease.lost and not lease.temporary:
        await publish_end(lease)

"""From the worker to whoever listens."""

from uuid import UUID

from langgraph_runtime_community.lease import Lease
from langgraph_runtime_community.streams.events import CONTROL, DONE, NOWHERE, Event
from langgraph_runtime_community.streams.hub import HUB
from langgraph_runtime_community.streams.keeping import KEEPER


def publish(lease: Lease, event: str, data: bytes, *, resumable: bool) -> None:
    """An event of a run, from its worker. Nothing if the run is another worker's by now."""
    if lease.lost or lease.handing_back:
        return
    made = Event(lease.event_id(), lease.run_id, event, data)
    if resumable or lease.shared:
        KEEPER.keep(lease, made)
    HUB.publish(made, lease.thread_id)


def publish_to_thread(thread_id: UUID, event: str, data: bytes) -> None:
    """An event of a thread itself: its state was changed from outside."""
    HUB.publish(Event(NOWHERE, None, event, data), thread_id)


async def publish_end(lease: Lease) -> None:
    """Tell that a run has ended, once all its events are kept; its status is committed."""
    end = Event(lease.event_id(), lease.run_id, CONTROL, DONE)
    if lease.kwargs.get("resumable") or lease.shared:
        KEEPER.keep(lease, end)
        await KEEPER.flush()
    HUB.publish(end, lease.thread_id)

"""A gap event: a client may have missed events, and the thread's state is what counts."""

from uuid import UUID

import orjson

from langgraph_runtime_community.lease import Lease
from langgraph_runtime_community.streams.events import GAP, Event, gap
from langgraph_runtime_community.streams.publishing import publish

CUT = "an attempt at the run was cut off; events of steps that it had saved may be missing"
FORGOTTEN = "events are kept for a while only, and those of this run are gone"


def tell_gap(lease: Lease) -> None:
    """From a worker, first of all: the attempt goes on behind steps that clients may not have been told of."""
    told = gap(lease.run_id, CUT, attempt=lease.attempt)
    publish(lease, GAP, told.data, resumable=bool(lease.kwargs.get("resumable")))


def forgotten(run_id: UUID) -> Event:
    """For a client that asks for events of a run that are kept no more."""
    return gap(run_id, FORGOTTEN)


def in_second_protocol(event: Event) -> bytes:
    """A gap as that protocol can carry it: an event of channel `custom`, by the name of `gap`."""
    params = {"namespace": [], "data": orjson.loads(event.data)}
    return orjson.dumps({"type": "event", "method": f"custom:{GAP}", "params": params})

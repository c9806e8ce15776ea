"""The Agent Server as a child process of `up` or `serve`."""

from collections.abc import Mapping
from contextlib import suppress

from stationmaster.processes import connections
from stationmaster.processes.child import Kind

LOG_NAME = "server.log"
# The in-memory runtime keeps its state below its working directory.
DIRECTORY = "server"
DRAIN = "COMMUNITY_RUNTIME_DRAIN_S"
QUEUE_S, WRITING_S = 5.0, 10.0


def kind(environment: Mapping[str, str]) -> Kind:
    """With the environment that it gets, which says how long its runs get at the end.

    Killed before that, the in-memory runtime loses its state, and runs on the durable one count as attempts.
    """
    drain = 0.0
    with suppress(ValueError):  # what is no number the server refuses itself
        drain = float(environment.get(DRAIN) or 0)
    # Open connections first, then the run queue; the drain counts from the signal on.
    runs = max(connections.GRACE_S + QUEUE_S, drain)
    return Kind(
        name="server", module="stationmaster.server.launch", health="/ok", stop_grace_s=runs + WRITING_S
    )

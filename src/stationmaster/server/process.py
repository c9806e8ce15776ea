"""The Agent Server as a child process of `up`."""

from stationmaster.processes.child import Kind
from stationmaster.server.launch import CONNECTIONS_GRACE_S

SERVER = Kind(
    name="server",
    module="stationmaster.server.launch",
    health="/ok",
    # Open connections, then the run queue's 5 s, then writing the state: killed before that, it is lost.
    stop_grace_s=CONNECTIONS_GRACE_S + 5 + 10,
)
LOG_NAME = "server.log"
# The in-memory runtime keeps its state below its working directory.
DIRECTORY = "server"

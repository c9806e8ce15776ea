"""The one room that speaks to the Agent Server: reads threads, resumes runs, and says plainly what went wrong."""

from stationmaster.reviews.agent_server.server import LOOKS, AgentServer, Course, ThreadRow, connect
from stationmaster.reviews.agent_server.translating import NeverArrived, ThreadBusy, ThreadGone, ThreadMissing

__all__ = [
    "LOOKS",
    "AgentServer",
    "Course",
    "NeverArrived",
    "ThreadBusy",
    "ThreadGone",
    "ThreadMissing",
    "ThreadRow",
    "connect",
]

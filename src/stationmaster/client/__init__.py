"""For client apps: a little over `langgraph-sdk`, for what the SDK leaves to its user. See docs/client.md."""

from stationmaster.client.errors import (
    ClientError,
    NoLiveAssistant,
    NothingToFork,
    NotTaken,
    RunGone,
    ServerAway,
    ThreadBusy,
    ThreadGone,
)
from stationmaster.client.forking import Fork, correct, edit_message
from stationmaster.client.live import LiveAssistant, live_assistants, resolve
from stationmaster.client.patience import Limits
from stationmaster.client.starting import Started, find_started, start
from stationmaster.client.streaming import follow, stream
from stationmaster.client.waiting import Question, Standing, Waited, standing, wait_for_person

__all__ = [
    "ClientError",
    "Fork",
    "Limits",
    "LiveAssistant",
    "NoLiveAssistant",
    "NotTaken",
    "NothingToFork",
    "Question",
    "RunGone",
    "ServerAway",
    "Standing",
    "Started",
    "ThreadBusy",
    "ThreadGone",
    "Waited",
    "correct",
    "edit_message",
    "find_started",
    "follow",
    "live_assistants",
    "resolve",
    "standing",
    "start",
    "stream",
    "wait_for_person",
]

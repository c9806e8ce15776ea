"""What can go wrong for a client app; each message ends with what to do. The SDK's own errors pass as they are."""

from stationmaster.errors import StationmasterError


class ClientError(StationmasterError):
    """The root of this room's errors."""


class NoLiveAssistant(ClientError):
    """No assistant of that name is marked live, or more than one is."""


class ServerAway(ClientError):
    """The server did not come back in time. What was started goes on there without us."""


class NotTaken(ClientError):
    """The answer was lost while a run was being started, and no such run has come since. It may still come: under `key`
    it is found if it does, and started if it does not."""

    def __init__(self, message: str, key: str) -> None:
        super().__init__(message)
        self.key = key


class RunGone(ClientError):
    """The server knows no such run (any more): it was rolled back, deleted, or forgotten in a crash."""


class ThreadGone(ClientError):
    """The server knows no such thread (any more)."""


class ThreadBusy(ClientError):
    """A run is under way on the thread; a fork beside it would be overtaken by it."""


class NothingToFork(ClientError):
    """The thread's present branch holds no such message, or its node has not run."""

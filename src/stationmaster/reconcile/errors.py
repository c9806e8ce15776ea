"""What can go wrong between the files and a server; the message says it and ends with what to do."""

from stationmaster.errors import StationmasterError


class ReconcileError(StationmasterError):
    """The root of this room's errors."""

    exit_code = 1


class ServerUnavailable(ReconcileError):
    """The server did not answer, or broke off: whether a request had its effect is not known."""


class ServerRefused(ReconcileError):
    """The server answered that it won't; `status` is HTTP's."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


class Missing(ServerRefused):
    """The server has no such thing."""


class Conflict(ReconcileError):
    """Somebody else changed the same thing meanwhile; nothing of theirs was put right in silence."""

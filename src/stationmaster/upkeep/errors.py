"""What can be in the way of upkeep."""

from stationmaster.errors import StationmasterError


class NoDurableServer(StationmasterError):
    """The database has no tables of the durable server."""


class PruneAtWork(StationmasterError):
    """Another process is pruning."""

    exit_code = 1


class NoSuchWebhook(StationmasterError):
    """No webhook with that id was given up."""

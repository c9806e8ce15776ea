"""What can go wrong between Stationmaster and its database."""

from stationmaster.errors import StationmasterError


class DatabaseUnreachable(StationmasterError):
    """Nothing answers at DATABASE_URI, or it refuses us; the message never holds the password."""


class EmbeddedFailed(StationmasterError):
    """The embedded server can't be set up, started or stopped."""


class MigrationFailed(StationmasterError):
    """The schema can't be brought to the state that this version needs."""


class DumpFailed(StationmasterError):
    """The database can't be written to a file, or a file can't be restored."""

    exit_code = 1


class DumpRefused(DumpFailed):
    """What was asked for does not fit what is there; nothing was begun."""

    exit_code = 2

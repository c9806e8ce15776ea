"""What can go wrong with crons; the message says it and ends with what to do."""

from stationmaster.errors import StationmasterError


class CronError(StationmasterError):
    """The root of this room's errors."""

    exit_code = 1


class NoSuchCron(CronError):
    """No cron of that name or id is on the server."""


class BadMoment(CronError):
    """A time that slots can't be counted from."""


class SlotRefused(CronError):
    """No run is made: the slot is noted with the reason, or a person's run would take something from somebody."""

    exit_code = 3


class HistoryAway(CronError):
    """The database with the history is away for now."""

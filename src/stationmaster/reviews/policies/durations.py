"""Durations as policies write them: 30m, 4h, 2d, 1d12h; counted by the clock or in working hours."""

import re
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

PATTERN = r"^(?=\d)(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?$"
LONGEST = timedelta(days=366)
_UNITS = {
    "w": timedelta(weeks=1),
    "d": timedelta(days=1),
    "h": timedelta(hours=1),
    "m": timedelta(minutes=1),
    "s": timedelta(seconds=1),
}
_TEXT = re.compile(PATTERN)
_PART = re.compile(r"(\d+)([wdhms])")


def parse(text: object) -> timedelta:
    """`1d12h` as a timedelta; ValueError for anything else, nothing, or more than a year."""
    if not isinstance(text, str) or not text.isascii() or not _TEXT.fullmatch(text):
        raise ValueError("is no duration")
    if len(text) > 40:
        raise ValueError("is longer than a year")
    try:
        length = sum((int(number) * _UNITS[unit] for number, unit in _PART.findall(text)), timedelta())
    except OverflowError:
        raise ValueError("is longer than a year") from None
    if not length:
        raise ValueError("is no time at all")
    if length > LONGEST:
        raise ValueError("is longer than a year")
    return length


@dataclass(frozen=True)
class WorkingHours:
    """When the clock of a policy runs: on `days` (0 is Monday), from `start` to `end` by the zone's wall clock."""

    zone: ZoneInfo
    days: frozenset[int]
    start: time
    end: time


def advance(moment: datetime, length: timedelta, hours: WorkingHours | None = None) -> datetime:
    """The moment at which `length` has passed since `moment`, in UTC; only working hours count when given.

    Windows are laid by the wall clock and measured in real time: a day on which the clocks change is as long as it is.
    """
    if hours is None:
        return moment.astimezone(UTC) + length
    day, left = moment.astimezone(hours.zone).date(), length
    while True:
        if day.weekday() in hours.days:
            opens = datetime.combine(day, hours.start, hours.zone).astimezone(UTC)
            closes = datetime.combine(day, hours.end, hours.zone).astimezone(UTC)
            begins = max(opens, moment.astimezone(UTC))
            room = closes - begins
            if left <= room:
                return begins + left
            left -= max(room, timedelta())
        day += timedelta(days=1)

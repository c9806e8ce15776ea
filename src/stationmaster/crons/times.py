"""When a cron fires, across changes of the clock: what the server computes, less the slots that admission refuses.

The Agent Server asks `croniter` for the next local time in the cron's zone. Measured on it:

- A local time that does not exist (the clock goes forward) fires at the first moment after the gap.
- A local time that comes twice (the clock goes back) fires both times. For a schedule that names hours the second
  pass is refused here (`is_repeat`), so that a nightly job runs once. A schedule for every hour goes by elapsed
  time: both passes are slots, or a job of every five minutes would stand still for an hour.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from croniter import CroniterBadDateError, croniter

HOUR = 1
"""Where croniter puts the hours of a schedule; seconds and years come after the five."""
LONGEST_SHIFT = timedelta(hours=3)
"""No zone turns its clock by more."""
A_MOMENT = timedelta(seconds=1)


@dataclass(frozen=True)
class Firing:
    """One slot. `at` is UTC, `local` the same moment in the cron's zone; `note` says what the clock did there."""

    at: datetime
    local: datetime
    note: str | None = None


def next_firings(schedule: str, timezone: str | None, after: datetime, count: int) -> list[Firing]:
    """The next `count` slots later than `after`; fewer where the schedule ends."""
    zone = ZoneInfo(timezone or "UTC")
    return [_firing(schedule, at, zone) for at in islice(slots(schedule, timezone, after), count)]


def slots(schedule: str, timezone: str | None, after: datetime) -> Iterator[datetime]:
    """All slots later than `after`, in UTC, without the second pass of times that come twice."""
    for at in _served(schedule, timezone, after):
        if not is_repeat(schedule, timezone, at):
            yield at


def next_served(schedule: str, timezone: str | None, after: datetime) -> datetime | None:
    """What the server writes as the next run date, computed at `after`; None where the schedule ends."""
    return next(_served(schedule, timezone, after), None)


def is_repeat(schedule: str, timezone: str | None, at: datetime) -> bool:
    """Whether `at` is the second pass of a local time that already came, for a schedule that names hours."""
    local = at.astimezone(ZoneInfo(timezone or "UTC"))
    return _comes_again(local) and not goes_by_elapsed_time(schedule)


def goes_by_elapsed_time(schedule: str) -> bool:
    """Whether the schedule is for every hour of the day."""
    return croniter.expand(schedule)[0][HOUR] == ["*"]


def latest_slot(schedule: str, timezone: str | None, not_after: datetime) -> datetime | None:
    """The newest slot that is not later than `not_after`; None if there never was one."""
    zone = ZoneInfo(timezone or "UTC")
    try:
        before = croniter(schedule, not_after.astimezone(zone)).get_prev(datetime)
    except CroniterBadDateError:
        return None
    # Backwards croniter does not know gaps as it does forwards: the last bit is walked forwards.
    before = before.astimezone(UTC)
    latest = None
    for at in slots(schedule, timezone, before - (LONGEST_SHIFT if _changes(before, zone) else A_MOMENT)):
        if at > not_after:
            break
        latest = at
    return latest


def _changes(at: datetime, zone: ZoneInfo) -> bool:
    """Whether the clock changes about then."""
    around = (at - LONGEST_SHIFT, at, at + LONGEST_SHIFT)
    return len({moment.astimezone(zone).utcoffset() for moment in around}) > 1


def _served(schedule: str, timezone: str | None, after: datetime) -> Iterator[datetime]:
    zone = ZoneInfo(timezone or "UTC")
    at = after.astimezone(UTC)
    while True:
        try:
            found = croniter(schedule, at.astimezone(zone)).get_next(datetime).astimezone(UTC)
        except CroniterBadDateError:
            return
        if found <= at:
            raise AssertionError(f"{schedule!r} in {zone} went backwards at {at}")
        yield (at := found)


def _firing(schedule: str, at: datetime, zone: ZoneInfo) -> Firing:
    local = at.astimezone(zone)
    note = None
    if _comes_again(local):
        note = "second pass: the clock went back"
    elif _comes_twice(local):
        note = "comes twice" if goes_by_elapsed_time(schedule) else "comes twice: only this first time counts"
    elif _skipped_to(local) and not croniter.match(schedule, local.replace(tzinfo=None)):
        note = "the clock goes forward: first moment after the gap"
    return Firing(at, local, note)


def _comes_twice(local: datetime) -> bool:
    return local.replace(fold=0).utcoffset() != local.replace(fold=1).utcoffset()


def _comes_again(local: datetime) -> bool:
    return local.fold == 1 and _comes_twice(local)


def _skipped_to(local: datetime) -> bool:
    """Whether the clock went forward to this very moment."""
    before = (local.astimezone(UTC) - A_MOMENT).astimezone(local.tzinfo)
    return (before.utcoffset() or timedelta()) < (local.utcoffset() or timedelta())

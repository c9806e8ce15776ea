"""Which slot a cron's run stands for, and which slots before it nobody came for. Pure."""

from datetime import UTC, datetime, timedelta
from itertools import islice, takewhile

from stationmaster.crons.deciding import Slot
from stationmaster.crons.times import is_repeat, latest_slot, slots
from stationmaster.reconcile.resources import ServedCron

MOST_MISSED = 200
"""So many missed slots are counted while the server waits; a cron of every second, away for a week, had more."""
AHEAD = timedelta(seconds=5)
"""A server may come by another clock than this process has: it came for a slot that is so little ahead."""


def slot_of(cron: ServedCron, now: datetime) -> Slot:
    """The slot that is due at `now`.

    The server runs all slots for which it came too late as one; the run stands for the newest. A server that has
    written the date after next already gets the newest slot of the schedule; one whose clock is ahead of ours gets the
    slot for which it came.
    """
    first = planned_from(cron.next_run_at)
    if first is None or first > now + AHEAD:
        return Slot(latest_slot(cron.schedule, cron.timezone, now) or first or now)
    repeated = is_repeat(cron.schedule, cron.timezone, first)
    counted = list(
        takewhile(lambda at: at <= now, islice(slots(cron.schedule, cron.timezone, first), MOST_MISSED))
    )
    due = [*([] if repeated else [first]), *counted]
    newest = latest_slot(cron.schedule, cron.timezone, now) if len(counted) == MOST_MISSED else None
    if newest is not None and newest > due[-1]:
        due.append(newest)
    if not due:
        return Slot(first, repeated=True)
    return Slot(due[-1], tuple(due[:-1]))


def planned_from(stored: str | None) -> datetime | None:
    """The server's own next date, in UTC."""
    return datetime.fromisoformat(stored).astimezone(UTC) if stored else None

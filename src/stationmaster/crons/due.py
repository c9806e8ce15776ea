"""Which slot a cron's run stands for, and which slots before it nobody came for. Pure."""

from datetime import UTC, datetime
from itertools import islice

from stationmaster.crons.deciding import Slot
from stationmaster.crons.times import is_repeat, latest_slot, slots
from stationmaster.reconcile.resources import ServedCron

MOST_MISSED = 200
"""So many missed slots are counted while the server waits; a cron of every second, away for a week, had more."""


def slot_of(cron: ServedCron, now: datetime) -> Slot:
    """The slot that is due at `now`.

    The server runs all slots for which it came too late as one; the run stands for the newest. A server that has
    written the date after next already gets the newest slot of the schedule.
    """
    first = planned_from(cron.next_run_at)
    if first is None or first > now:
        return Slot(latest_slot(cron.schedule, cron.timezone, now) or first or now)
    repeated = is_repeat(cron.schedule, cron.timezone, first)
    later = (at for at in slots(cron.schedule, cron.timezone, first))
    due = [] if repeated else [first]
    for at in islice(later, MOST_MISSED):
        if at > now:
            break
        due.append(at)
    else:
        due.append(latest_slot(cron.schedule, cron.timezone, now) or now)
    if not due:
        return Slot(first, repeated=True)
    return Slot(due[-1], tuple(due[:-1]))


def planned_from(stored: str | None) -> datetime | None:
    """The server's own next date, in UTC."""
    return datetime.fromisoformat(stored).astimezone(UTC) if stored else None

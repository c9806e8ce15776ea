"""The stock scheduler with a clock of ours, over days on which clocks change: what runs is what `crons next` says."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stationmaster.crons.deciding import Standing, Start, decide
from stationmaster.crons.due import slot_of
from stationmaster.crons.model import policy_of
from stationmaster.crons.times import next_firings, next_served
from stationmaster.reconcile.resources import ServedCron

CHANGES = [
    ("Europe/London", "2026-03-29", "30 1 * * *"),
    ("Europe/London", "2026-10-25", "30 1 * * *"),
    ("America/New_York", "2026-03-08", "30 2 * * *"),
    ("America/New_York", "2026-11-01", "30 1 * * *"),
    ("Australia/Lord_Howe", "2026-10-04", "15 2 * * *"),
    ("Australia/Lord_Howe", "2026-04-05", "45 1 * * *"),
]
SCHEDULES = ("0 9 * * 1-5", "*/20 1,2 * * *", "0 * * * *", "15,45 * * * *")


class Scheduler:
    """What the stock server does: it comes late, runs what is due, and counts on from then."""

    def __init__(self, schedule: str, timezone: str, start: datetime) -> None:
        self.schedule, self.timezone = schedule, timezone
        self.next = next_served(schedule, timezone, start)
        self.runs: list[datetime] = []
        self.missed: list[datetime] = []

    def come(self, late: timedelta) -> None:
        """To the next date, so late."""
        assert self.next is not None
        now = self.next + late
        stored = self.next.isoformat()
        metadata = {"managed_by": "stationmaster", "name": "x"}
        cron = ServedCron("x", None, "a", self.schedule, self.timezone, {}, True, stored, metadata)
        slot = slot_of(cron, now)
        self.missed += slot.missed
        if isinstance(decide(policy_of(cron), slot, Standing(), now), Start):
            self.runs.append(slot.planned_at)
        self.next = next_served(self.schedule, self.timezone, now)


def before(day: str, zone: str) -> datetime:
    """Noon of the day before, there."""
    noon = datetime.fromisoformat(day).replace(hour=12, tzinfo=ZoneInfo(zone)) - timedelta(days=1)
    return noon.astimezone(UTC)


@pytest.mark.parametrize(("zone", "day", "schedule"), CHANGES)
def test_as_documented(zone: str, day: str, schedule: str) -> None:
    for each in (schedule, *SCHEDULES):
        scheduler = Scheduler(each, zone, before(day, zone))
        for _ in range(60):
            scheduler.come(timedelta(seconds=3))
        expected = [firing.at for firing in next_firings(each, zone, before(day, zone), len(scheduler.runs))]
        assert scheduler.runs == expected and scheduler.missed == []


@settings(max_examples=100)
@given(
    change=st.sampled_from(CHANGES),
    other=st.sampled_from((None, *SCHEDULES)),
    lateness=st.lists(st.integers(0, 6 * 3600), min_size=5, max_size=12),
)
def test_never_twice_however_late_the_server_comes(
    change: tuple[str, str, str], other: str | None, lateness: list[int]
) -> None:
    zone, day, schedule = change
    scheduler = Scheduler(other or schedule, zone, before(day, zone))
    for late in lateness:
        scheduler.come(timedelta(seconds=late))
    assert all(earlier < later for earlier, later in pairwise(scheduler.runs))
    # Each slot ran or was missed, and none did both.
    decided = sorted(scheduler.runs + scheduler.missed)
    firings = next_firings(scheduler.schedule, zone, before(day, zone), len(decided))
    assert decided == [firing.at for firing in firings]

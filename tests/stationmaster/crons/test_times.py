"""When crons fire where clocks change, with fixed clocks; and that the server's own computation says the same."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from itertools import islice, pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stationmaster.console.at_server import refusal_of
from stationmaster.crons.desk import upcoming
from stationmaster.crons.errors import BadMoment
from stationmaster.crons.times import is_repeat, latest_slot, next_firings, next_served, slots

LONDON, NEW_YORK, LORD_HOWE = "Europe/London", "America/New_York", "Australia/Lord_Howe"


def local_times(schedule: str, timezone: str, after: str, count: int) -> list[str]:
    found = next_firings(schedule, timezone, datetime.fromisoformat(after).replace(tzinfo=UTC), count)
    return [f"{firing.local:%d %H:%M%z}" for firing in found]


@pytest.mark.parametrize(
    ("timezone", "schedule", "after", "expected"),
    [
        (LONDON, "30 1 * * *", "2026-03-28T12:00", ["29 02:00+0100", "30 01:30+0100", "31 01:30+0100"]),
        (NEW_YORK, "30 2 * * *", "2026-03-07T12:00", ["08 03:00-0400", "09 02:30-0400", "10 02:30-0400"]),
        (LORD_HOWE, "15 2 * * *", "2026-10-03T03:00", ["04 02:30+1100", "05 02:15+1100", "06 02:15+1100"]),
    ],
)
def test_a_time_that_does_not_exist_fires_at_the_first_moment_after_the_gap(
    timezone: str, schedule: str, after: str, expected: list[str]
) -> None:
    assert local_times(schedule, timezone, after, 3) == expected
    first = next_firings(schedule, timezone, datetime.fromisoformat(after).replace(tzinfo=UTC), 2)
    assert first[0].note == "the clock goes forward: first moment after the gap"
    assert first[1].note is None


@pytest.mark.parametrize(
    ("timezone", "schedule", "after", "expected"),
    [
        (LONDON, "30 1 * * *", "2026-10-24T12:00", ["25 01:30+0100", "26 01:30+0000", "27 01:30+0000"]),
        (NEW_YORK, "30 1 * * *", "2026-10-31T12:00", ["01 01:30-0400", "02 01:30-0500", "03 01:30-0500"]),
        (LORD_HOWE, "45 1 * * *", "2026-04-04T03:00", ["05 01:45+1100", "06 01:45+1030", "07 01:45+1030"]),
    ],
)
def test_a_time_that_comes_twice_fires_the_first_time_only(
    timezone: str, schedule: str, after: str, expected: list[str]
) -> None:
    moment = datetime.fromisoformat(after).replace(tzinfo=UTC)
    assert local_times(schedule, timezone, after, 3) == expected
    first = next_firings(schedule, timezone, moment, 1)[0]
    assert first.note == "comes twice: only this first time counts"
    # The server comes a second time, and is refused then.
    second = next_served(schedule, timezone, first.at)
    assert second is not None and second - first.at < timedelta(hours=2)
    assert is_repeat(schedule, timezone, second)


def test_two_times_in_the_gap_are_one_slot() -> None:
    assert local_times("15,45 1 * * *", LONDON, "2026-03-28T12:00", 2) == ["29 02:00+0100", "30 01:15+0100"]


def test_every_hour_goes_by_elapsed_time() -> None:
    assert local_times("0 * * * *", LONDON, "2026-10-24T23:30", 3) == [
        "25 01:00+0100", "25 01:00+0000", "25 02:00+0000",
    ]  # fmt: skip
    assert local_times("*/30 * * * *", LORD_HOWE, "2026-04-04T14:10", 3) == [
        "05 01:30+1100", "05 01:30+1030", "05 02:00+1030",
    ]  # fmt: skip
    assert local_times("0 * * * *", NEW_YORK, "2026-03-08T05:30", 2) == ["08 01:00-0500", "08 03:00-0400"]
    assert local_times("0 * * * *", LORD_HOWE, "2026-10-03T14:00", 2) == ["04 01:00+1030", "04 03:00+1100"]


CHANGES = {
    LONDON: ("2026-03-29", "2026-10-25"), NEW_YORK: ("2026-03-08", "2026-11-01"),
    LORD_HOWE: ("2026-04-04", "2026-10-03"),
}  # fmt: skip


@settings(max_examples=60)
@given(
    change=st.sampled_from([(zone, day) for zone, days in CHANGES.items() for day in days]),
    minute=st.integers(0, 59),
    hours=st.lists(st.integers(0, 4), min_size=1, max_size=3, unique=True),
    ahead=st.timedeltas(timedelta(), timedelta(days=3)),
)
def test_never_twice(change: tuple[str, str], minute: int, hours: list[int], ahead: timedelta) -> None:
    timezone, day = change
    schedule = f"{minute} {','.join(map(str, hours))} * * *"
    after = datetime.fromisoformat(day).replace(tzinfo=UTC) - ahead
    found = list(islice(slots(schedule, timezone, after), 8 * len(hours)))
    assert all(earlier < later for earlier, later in pairwise(found))
    walls = [at.astimezone(ZoneInfo(timezone)).replace(tzinfo=None, fold=0) for at in found]
    assert len(set(walls)) == len(walls)
    # And no day goes without: what is named fires, at the latest after the gap.
    days = {wall.date() for wall in walls}
    assert len(days) == (max(days) - min(days)).days + 1


@pytest.mark.parametrize(
    ("schedule", "timezone", "moment", "expected"),
    [
        ("30 1 * * *", LONDON, "2026-03-29T12:00+00:00", "2026-03-29T01:00+00:00"),
        ("30 1 * * *", LONDON, "2026-10-25T12:00+00:00", "2026-10-25T00:30+00:00"),
        ("0 9 * * 1-5", NEW_YORK, "2026-11-29T12:00+00:00", "2026-11-27T14:00+00:00"),
        ("30 2 8 3 *", NEW_YORK, "2026-12-01T12:00+00:00", "2026-03-08T07:00+00:00"),
        ("30 1 25 10 *", LONDON, "2026-12-01T12:00+00:00", "2026-10-25T00:30+00:00"),
        ("* * * * * *", LORD_HOWE, "2026-06-01T12:00:05.5+00:00", "2026-06-01T12:00:05+00:00"),
        ("*/10 * * * *", None, "2026-11-29T12:09:59+00:00", "2026-11-29T12:00+00:00"),
    ],
)
def test_the_newest_slot_that_is_over(
    schedule: str, timezone: str | None, moment: str, expected: str
) -> None:
    found = latest_slot(schedule, timezone, datetime.fromisoformat(moment))
    assert found == datetime.fromisoformat(expected)


def test_a_schedule_that_ends() -> None:
    assert next_firings("0 0 1 1 * 0 2030", "UTC", datetime(2031, 1, 1, tzinfo=UTC), 3) == []
    assert len(next_firings("0 0 1 1 * 0 2030", "UTC", datetime(2026, 1, 1, tzinfo=UTC), 3)) == 1
    assert latest_slot("0 0 1 1 * 0 2030", "UTC", datetime(2026, 1, 1, tzinfo=UTC)) is None


SCHEDULES = (
    "30 1 * * *",
    "15 2 * * *",
    "0 * * * *",
    "*/20 * * * *",
    "0 9 * * 1-5",
    "45 1 * * *",
    "* * * * * */7",
)
ASKED = [
    (schedule, timezone, f"{day}T{hour:02}:{minute:02}:04+00:00")
    for timezone, days in {**CHANGES, "UTC": ("2026-02-28",)}.items()
    for day in days
    for schedule in SCHEDULES
    for hour in range(0, 24, 3)
    for minute in (0, 31)
]  # fmt: skip

# The stock server's own function, in a process of its own: importing it configures logging and wants its variables.
ASK_SERVER = """
import json, sys
from datetime import datetime
from langgraph_api.utils import next_cron_date
asked = json.load(sys.stdin)
print(json.dumps([next_cron_date(s, datetime.fromisoformat(at), zone).isoformat() for s, zone, at in asked]))
"""


def test_the_server_computes_the_same() -> None:
    env = {
        "REDIS_URI": "fake", "DATABASE_URI": ":memory:", "MIGRATIONS_PATH": "__inmem",
        "LANGGRAPH_RUNTIME_EDITION": "inmem",
    }  # fmt: skip
    said = subprocess.run(
        [sys.executable, "-c", ASK_SERVER], input=json.dumps(ASKED), env={**os.environ, **env}, text=True,
        capture_output=True, check=True,
    ).stdout.splitlines()[-1]  # fmt: skip
    ours = [next_served(schedule, zone, datetime.fromisoformat(at)) for schedule, zone, at in ASKED]
    assert [datetime.fromisoformat(moment) for moment in json.loads(said)] == ours


@pytest.mark.parametrize("zone", ["UTC", "Europe/London", "Asia/Tokyo", "America/New_York"])
def test_the_ends_of_the_calendar_are_refused(zone: str) -> None:
    for year in (1970, 8999):
        assert len(upcoming("0 9 * * *", zone, datetime(year, 12, 31, tzinfo=UTC), 3).firings) == 3
    for after in (datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, tzinfo=UTC)):
        with pytest.raises(BadMoment, match="name a date between 1970 and 9000") as refused:
            upcoming("0 9 * * *", zone, after, 3)
        assert refusal_of(refused.value) == (422, "bad_request")

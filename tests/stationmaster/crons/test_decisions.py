"""What becomes of a slot: which one it is, and whether it becomes a run. Pure."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stationmaster.crons.deciding import Keep, Slot, Standing, Start, decide
from stationmaster.crons.due import MOST_MISSED, slot_of
from stationmaster.crons.model import Policy, Tick, policy_of
from stationmaster.reconcile.resources import ServedCron

NOON = datetime(2026, 6, 1, 12, tzinfo=UTC)
NOW = NOON + timedelta(seconds=3)
OWNED = Policy("digest", owned=True, overlap="skip", missed="once", keep_days=30)
WAITS = "a question waits for a person on its thread t"


def tick(outcome: Any, number: int = 1, **changed: Any) -> Tick:
    run = None if outcome in ("queued", "skipped", "missed") else f"run-{number}"
    plain = Tick(
        number, "digest", "c", "a", "schedule", NOON - timedelta(hours=1), NOON - timedelta(hours=1), 1, NOON, outcome,
        "why", run, "t", False, None, None, None, None,
    )  # fmt: skip
    return replace(plain, **changed)


def served(**fields: Any) -> ServedCron:
    plain = ServedCron(
        "c", None, "a", "0 * * * *", "UTC", {}, True, NOON.isoformat(),
        {"managed_by": "stationmaster", "name": "digest"},
    )  # fmt: skip
    return replace(plain, **fields)


def test_the_way_is_free() -> None:
    for overlap in ("skip", "queue", "replace"):
        assert decide(replace(OWNED, overlap=overlap), Slot(NOON), Standing(), NOW) == Start()


@pytest.mark.parametrize(
    ("standing", "said"),
    [
        (Standing(waits=WAITS), WAITS),
        (Standing(busy="run 7 is under way on its thread"), "run 7 is under way on its thread"),
        (Standing(open=(tick("waiting", fresh=True),)), "waits for a person, on thread t"),
        (Standing(open=(tick("running", fresh=True),)), "is still at work"),
    ],
)
def test_what_stands_in_the_way(standing: Standing, said: str) -> None:
    skipped = decide(OWNED, Slot(NOON), standing, NOW)
    assert isinstance(skipped, Keep) and skipped.outcome == "skipped" and said in skipped.reason
    queued = decide(replace(OWNED, overlap="queue"), Slot(NOON), standing, NOW)
    assert isinstance(queued, Keep) and queued.outcome == "queued" and said in queued.reason
    assert isinstance(decide(replace(OWNED, overlap="replace"), Slot(NOON), standing, NOW), Start)


def test_one_slot_waits_and_later_ones_are_skipped() -> None:
    waits = tick("queued", 2)
    queue = replace(OWNED, overlap="queue")
    kept = decide(queue, Slot(NOON), Standing(open=(tick("waiting"), waits), waits=WAITS), NOW)
    assert isinstance(kept, Keep) and kept.outcome == "skipped" and "waits already" in kept.reason
    assert decide(queue, Slot(NOON), Standing(open=(waits,)), NOW) == Start(turn=waits)


def test_replace_ends_only_what_it_takes_away() -> None:
    own, beside = tick("waiting", 1), tick("waiting", 2, fresh=True)
    started = decide(
        replace(OWNED, overlap="replace"), Slot(NOON), Standing(open=(own, beside), waits=WAITS), NOW
    )
    assert started == Start(replaces=(own,), note=f"replaced: {WAITS}")


def test_the_second_pass_is_skipped() -> None:
    kept = decide(OWNED, Slot(NOON, repeated=True), Standing(), NOW)
    assert isinstance(kept, Keep) and "comes twice" in kept.reason


def test_missed() -> None:
    late, skip = NOON + timedelta(hours=2), replace(OWNED, missed="skip")
    assert decide(OWNED, Slot(NOON), Standing(), late) == Start()
    assert decide(skip, Slot(NOON), Standing(), NOW) == Start()
    kept = decide(skip, Slot(NOON), Standing(), late)
    assert isinstance(kept, Keep) and kept.outcome == "missed"


def test_of_a_cron_that_no_file_owns_only_the_question_is_kept() -> None:
    stray = replace(OWNED, owned=False)
    assert isinstance(decide(stray, Slot(NOON), Standing(waits=WAITS), NOW), Keep)
    assert decide(stray, Slot(NOON), Standing(busy="run 7", open=(tick("running"),)), NOW) == Start()
    assert decide(stray, Slot(NOON, repeated=True), Standing(), NOW) == Start()


def test_the_run_stands_for_the_newest_slot() -> None:
    assert slot_of(served(), NOW) == Slot(NOON)
    three_late = slot_of(served(next_run_at=(NOON - timedelta(hours=3)).isoformat()), NOW)
    assert three_late == Slot(NOON, tuple(NOON - timedelta(hours=hours) for hours in (3, 2, 1)))


def test_a_server_that_has_moved_on_already() -> None:
    assert slot_of(served(next_run_at=(NOON + timedelta(hours=1)).isoformat()), NOW) == Slot(NOON)


def test_the_last_slot_of_a_schedule_that_ends() -> None:
    at = datetime(2027, 6, 1, 9, tzinfo=UTC)
    once = served(schedule="0 9 1 6 * 0 2027", next_run_at=at.isoformat())
    assert slot_of(once, at + timedelta(seconds=2)) == Slot(at)
    last_of_two = served(schedule="0 9 1,2 6 * 0 2027", next_run_at=at.isoformat())
    assert slot_of(last_of_two, at + timedelta(days=3)) == Slot(at + timedelta(days=1), (at,))


def test_a_server_whose_clock_is_ahead_comes_for_its_own_slot() -> None:
    """The durable runtime asks Postgres what time it is."""
    assert slot_of(served(), NOON - timedelta(milliseconds=50)) == Slot(NOON)
    every_second = served(schedule="* * * * * *")
    assert slot_of(every_second, NOON - timedelta(seconds=1.5)) == Slot(NOON)


def test_a_week_of_seconds_is_counted_as_far_as_it_goes() -> None:
    slot = slot_of(served(schedule="* * * * * *", next_run_at=(NOON - timedelta(days=7)).isoformat()), NOW)
    assert slot.planned_at == NOW and len(slot.missed) == MOST_MISSED + 1


def test_the_second_pass_that_is_due() -> None:
    second = datetime(2026, 10, 25, 1, 30, tzinfo=UTC)
    nightly = served(schedule="30 1 * * *", timezone="Europe/London", next_run_at=second.isoformat())
    assert slot_of(nightly, second + timedelta(seconds=2)) == Slot(second, repeated=True)
    first = second - timedelta(hours=1)
    both = replace(nightly, next_run_at=first.isoformat())
    assert slot_of(both, second + timedelta(seconds=2)) == Slot(first)


def test_policies() -> None:
    said = {"overlap": "queue", "missed": "skip", "keep_days": 3}
    cron = served(metadata={**served().metadata, **said})
    assert policy_of(cron) == Policy("digest", owned=True, overlap="queue", missed="skip", keep_days=3)
    assert policy_of(replace(cron, thread_id="t")).keep_days is None
    odd = replace(cron, metadata={**cron.metadata, "overlap": "explode", "missed": 7, "keep_days": True})
    assert policy_of(odd) == Policy("digest", owned=True, overlap="skip", missed="once", keep_days=30)
    assert policy_of(replace(cron, metadata=said)) == Policy(
        "c", owned=False, overlap="queue", missed="skip", keep_days=None
    )

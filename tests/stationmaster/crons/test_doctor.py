"""What doctor finds, from hand-made lists; and what the history lets in."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import psycopg
import pytest

from stationmaster.crons import history
from stationmaster.crons.doctor import Examined, Finding, diagnose
from stationmaster.crons.model import Policy, policy_of
from stationmaster.reconcile.resources import ServedCron
from stationmaster.reviews.database import Connection
from tests.stationmaster.crons.test_decisions import tick

NOW = datetime(2026, 6, 3, 12, 0, 30, tzinfo=UTC)
OWNED = {"managed_by": "stationmaster", "name": "digest"}
ID = "00000000-0000-0000-0000-00000000000c"
WELL = ServedCron(
    ID, None, "a", "0 * * * *", "UTC", {}, True, "2026-06-03T13:00:00+00:00", OWNED, on_run_completed="keep",
    created_at="2026-06-01T00:00:00+00:00", updated_at="2026-06-01T00:00:00+00:00",
)  # fmt: skip
RAN = {"digest": tick("success")}


def kinds(*crons: ServedCron, **seen: Any) -> list[str]:
    return [finding.kind for finding in found(*crons, **seen)]


def found(*crons: ServedCron, **seen: Any) -> Sequence[Finding]:
    return diagnose(Examined(crons, **{"assistants": {"a"}, "threads": {"t"}, "newest": RAN, **seen}), NOW)


def test_nothing_is_wrong() -> None:
    assert kinds(WELL) == []
    assert kinds(replace(WELL, thread_id="t", on_run_completed=None)) == []
    assert kinds() == []


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        ({"assistant_id": "gone"}, "no_assistant"),
        ({"thread_id": "gone"}, "no_thread"),
        ({"end_time": "2026-06-01T00:00:00+00:00"}, "end_time"),
        ({"end_time": "2027-06-01T00:00:00+00:00"}, "end_time"),
        ({"on_run_completed": "delete"}, "loses_questions"),
        ({"schedule": "0 0 1 1 * 0 2020"}, "ended"),
        ({"next_run_at": "2026-06-03T11:00:00+00:00"}, "overdue"),
    ],
)
def test_one_thing_is_wrong(wrong: dict[str, Any], kind: str) -> None:
    assert kinds(replace(WELL, **wrong)) == [kind]


def test_duplicates() -> None:
    [finding] = found(WELL, replace(WELL, cron_id="d"))
    assert (finding.kind, finding.cron_ids, finding.mendable) == ("duplicate", (ID, "d"), False)
    stray = replace(WELL, metadata={})
    assert kinds(stray, replace(stray, cron_id="d"), newest={ID: tick("success"), "d": tick("success")}) == []


def test_only_what_is_owned_is_mended() -> None:
    mine, other = replace(WELL, assistant_id="gone"), replace(WELL, assistant_id="gone", metadata={})
    assert [finding.mendable for finding in found(mine)] == [True]
    assert [finding.mendable for finding in found(other, newest={ID: tick("success")})] == [False]


def test_never_fired() -> None:
    assert kinds(WELL, newest={}) == ["never_fired"]
    assert kinds(replace(WELL, enabled=False), newest={}) == []
    # Its first slot has not come yet.
    young = replace(WELL, updated_at="2026-06-03T12:00:10+00:00")
    assert kinds(young, newest={}) == []


@pytest.mark.parametrize(
    ("ends", "wrong"),
    [
        (("error",) * 3, True),
        (("lost", "error", "error"), True),
        (("error", "success", "error"), False),
        (("error",) * 2, False),
    ],
)
def test_failures_in_a_row(ends: tuple[str, ...], wrong: bool) -> None:
    ticks = [tick(end, number) for number, end in enumerate(ends)]
    assert kinds(WELL, ends={"digest": ticks}) == (["failing"] if wrong else [])


def test_a_slot_whose_cron_is_gone() -> None:
    waits = tick("queued", 9, cron="away", cron_id="x")
    [finding] = found(WELL, queued=[waits])
    assert (finding.kind, finding.tick, finding.mendable) == ("orphaned_turn", 9, True)
    made_again = tick("queued", 9, cron="digest", cron_id="x")
    assert kinds(WELL, queued=[made_again]) == []


POLICY = policy_of(WELL)


async def note(conn: Connection, outcome: Any, minute: int, policy: Policy = POLICY, **more: Any) -> Any:
    at = NOW.replace(minute=minute, second=0)
    run = {"run_id": f"00000000-0000-0000-0000-{minute:012}"} if outcome == "running" else {"reason": "why"}
    return await history.add(conn, WELL, policy, outcome, at=at, **{"planned_at": at, **run, **more})


async def test_a_slot_is_noted_once_and_one_waits_for_its_turn(conn: Connection) -> None:
    assert await note(conn, "running", 1)
    assert await note(conn, "skipped", 1) is None
    assert await note(conn, "queued", 2)
    assert await note(conn, "queued", 3) is None
    assert await note(conn, "queued", 3, replace(POLICY, cron="other"))


async def test_a_lost_run_leaves_its_slot_free(conn: Connection) -> None:
    first = await note(conn, "running", 1)
    assert await history.settle(conn, first, "lost", reason="gone")
    assert await note(conn, "running", 1, run_id="00000000-0000-0000-0000-0000000000ff")


async def test_an_end_stays_an_end(conn: Connection) -> None:
    running = await note(conn, "running", 1)
    ended = await history.settle(conn, running, "success")
    assert ended is not None and ended.ended_at is not None
    assert await history.settle(conn, running, "error", reason="late") is None


async def test_pages_by_key(conn: Connection) -> None:
    for minute in range(10):
        await note(conn, "skipped", minute)
    await note(conn, "skipped", 1, replace(POLICY, cron="other"))
    first = await history.page(conn, "digest", limit=4)
    await note(conn, "skipped", 11)  # what comes meanwhile moves no page
    second = await history.page(conn, "digest", before=first[-1].id, limit=4)
    third = await history.page(conn, "digest", before=second[-1].id, limit=4)
    planned = [tick.planned_at.minute for tick in [*first, *second, *third] if tick.planned_at]
    assert planned == list(range(9, -1, -1))
    assert len(await history.page(conn)) == 12
    assert {name: last.planned_at and last.planned_at.minute for name, last in (
        await history.newest(conn, ["digest", "other", "none"])).items()} == {"digest": 11, "other": 1}  # fmt: skip


async def test_slots_that_were_decided_are_not_missed(conn: Connection) -> None:
    slots = [NOW.replace(minute=minute, second=0) for minute in range(8)]
    await note(conn, "skipped", 1)
    await note(conn, "missed", 3, last_planned_at=slots[5], slots=3)
    assert await history.undecided(conn, "digest", slots) == [slots[0], slots[2], slots[6], slots[7]]
    assert await history.undecided(conn, "digest", []) == []


@pytest.mark.parametrize(
    "impossible",
    [
        "set outcome = 'error', reason = null, ended_at = now()",
        "set outcome = 'success', ended_at = null",
        "set outcome = 'queued', reason = 'why'",
        "set planned_at = null",
        "set started_by = 'ann'",
        "set slots = 3",
    ],
)
async def test_what_the_table_refuses(conn: Connection, impossible: Any) -> None:
    await note(conn, "running", 1)
    with pytest.raises(psycopg.errors.CheckViolation):
        await conn.execute("update crons.ticks " + impossible)


async def test_old_rows_go_once_their_threads_are_gone(conn: Connection) -> None:
    await note(conn, "skipped", 1)
    kept = await note(conn, "running", 2)
    await history.settle(conn, kept, "success", thread_id="00000000-0000-0000-0000-0000000000aa")
    await conn.execute("update crons.ticks set ended_at = ended_at - interval '500 days'")
    assert await history.forget(conn) == 1
    await history.pruned(conn, kept)
    assert await history.forget(conn) == 1


async def test_ripe_threads(conn: Connection) -> None:
    ended = await note(conn, "running", 1)
    await history.settle(conn, ended, "success", thread_id="00000000-0000-0000-0000-0000000000aa")
    await note(conn, "running", 2)
    now = datetime.now(UTC)
    assert await history.ripe(conn, now + timedelta(days=29), 0, 10) == []
    assert [tick.id for tick in await history.ripe(conn, now + timedelta(days=31), 0, 10)] == [ended.id]

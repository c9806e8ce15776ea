"""What others do between plan and write is neither undone nor overwritten; an apply that is cut is finished."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest

from stationmaster.crons import operating
from stationmaster.crons.server import CronServer
from stationmaster.reconcile.diff import Desired
from stationmaster.reconcile.errors import Conflict
from stationmaster.reconcile.fields import served as fields_of
from stationmaster.reconcile.fields import wanted
from stationmaster.reconcile.reconciling import NotApplied, Wish, apply, look
from stationmaster.reconcile.resources import PAUSED, Assistant, ServedCron
from tests.stationmaster.reconcile.conftest import Served
from tests.stationmaster.reconcile.wishes import BY, DESIRED, A, K, actual, applied


async def pause(served: Served, name: str) -> ServedCron:
    (row,) = [each for each in (await actual(served)).crons if each.name == name]
    return await served.gateway.patch_cron(
        row.cron_id, enabled=False, metadata={PAUSED: {"reason": "storm", "by": "ana"}}
    )


@pytest.mark.parametrize("edit", [{}, {"schedule": "0 8 * * *"}, {"keep_days": 2}, {"overlap": "replace"}])
async def test_a_paused_cron_stays_paused_whatever_is_applied(served: Served, edit: dict[str, Any]) -> None:
    await applied(served, DESIRED)
    await pause(served, "k")
    desired = replace(DESIRED, crons=(replace(K, **edit), DESIRED.crons[1]))
    assert (await look(Wish(desired), served.gateway)).paused == ("k",)
    assert len(await applied(served, desired)) == bool(edit)
    (row,) = [each for each in (await actual(served)).crons if each.name == "k"]
    assert row.stopped
    assert row.paused == {"reason": "storm", "by": "ana"}
    assert {**fields_of(row), "enabled": True} == wanted(replace(K, **edit))


@pytest.mark.parametrize("edit", [{}, {"overlap": "replace"}])
async def test_a_paused_cron_that_its_file_switches_off_stays_off_when_it_is_resumed(
    served: Served, edit: dict[str, Any]
) -> None:
    """The plan shows it, one apply writes it, the next has nothing to do; switched on again, it goes on."""
    await applied(served, DESIRED)
    crons = CronServer(served.gateway.client, served.url)
    for on in (False, True):
        await operating.pause(crons, None, "k", reason="storm", by="ana")
        desired = replace(DESIRED, crons=(replace(K, enabled=on, **edit), DESIRED.crons[1]))
        assert len(await applied(served, desired)) == 1
        assert await applied(served, desired) == []
        (row,) = [each for each in (await actual(served)).crons if each.name == "k"]
        assert row.stopped and (row.paused or {})["reason"] == "storm"
        assert (await operating.resume(crons, "k")).enabled is on


@pytest.mark.parametrize("edit", [{"schedule": "0 8 * * *"}, {"keep_days": 2}, {"overlap": "replace"}, None])
async def test_who_pauses_a_cron_between_plan_and_write_is_not_undone(
    served: Served, edit: dict[str, Any] | None
) -> None:
    """An edit, one for which it is made anew, and a prune."""
    await applied(served, DESIRED)
    desired = Desired((replace(A, description="New"),), () if edit is None else (replace(K, **edit),))

    async def meanwhile(request: httpx.Request) -> None:
        if request.url.path.startswith("/assistants"):  # is written first
            served.wire.before_write = None
            await pause(served, "k")

    served.wire.before_write = meanwhile
    wish = Wish(desired, prune=edit is None, force=True)
    outcomes = {each.change.name: each async for each in apply(wish, served.gateway, BY)}
    assert (outcomes["a"].status, outcomes["k"].status) == ("done", "failed")
    assert "cron k: somebody paused it meanwhile; nothing was written" in outcomes["k"].detail
    (row,) = [each for each in (await actual(served)).crons if each.name == "k"]
    assert row.stopped
    assert row.paused == {"reason": "storm", "by": "ana"}


@pytest.mark.parametrize("edit", [{"schedule": "0 8 * * *"}, {"overlap": "replace"}])
async def test_who_pauses_a_cron_in_the_moment_of_the_write_has_paused_it(
    served: Served, edit: dict[str, Any]
) -> None:
    await applied(served, DESIRED)

    async def meanwhile(request: httpx.Request) -> None:
        if "crons" in request.url.path:
            served.wire.before_write = None
            await pause(served, "k")

    served.wire.before_write = meanwhile
    desired = replace(DESIRED, crons=(replace(K, **edit), DESIRED.crons[1]))
    (outcome,) = [each async for each in apply(Wish(desired), served.gateway, BY)]
    if "schedule" in edit:
        assert "somebody paused it in the same moment, and it stays so" in outcome.detail
    (row,) = [each for each in (await actual(served)).crons if each.name == "k"]
    assert row.stopped
    assert row.paused == {"reason": "storm", "by": "ana"}


async def test_a_cron_that_fired_meanwhile_is_no_other(served: Served) -> None:
    await applied(served, DESIRED)
    (row,) = [each for each in (await actual(served)).crons if each.name == "k"]
    assert await served.gateway.cron(row.cron_id) == row
    assert row.same_as(replace(row, next_run_at="2030", updated_at="2030"))
    assert await served.gateway.cron(A.assistant_id) is None


async def test_a_write_after_an_older_version_was_set_as_latest_is_no_conflict(served: Served) -> None:
    await applied(served, DESIRED)
    for description in ("two", "three"):
        await served.others.assistants.update(A.assistant_id, description=description)
    await served.others.assistants.set_latest(A.assistant_id, 2)
    (outcome,) = await applied(served, DESIRED)
    assert (outcome.change.action, outcome.version) == ("drift", 4)
    row = await served.gateway.assistant(A.assistant_id)
    assert row is not None
    assert (row.description, row.signed, row.change["from_version"]) == (A.description, True, 2)
    await served.others.assistants.update(A.assistant_id, description="five")
    row = await served.gateway.assistant(A.assistant_id)
    assert row is not None
    assert not row.signed, "the note of the version before stays, and is not about this one"


async def test_a_version_that_takes_the_written_ones_place_at_once_is_told(served: Served) -> None:
    await applied(served, DESIRED)
    before = await served.gateway.assistant(A.assistant_id)
    assert before is not None

    async def at_once(request: httpx.Request) -> None:
        if request.method == "PATCH":
            await served.others.assistants.update(A.assistant_id, description="theirs")

    served.wire.after_write = at_once
    with pytest.raises(Conflict, match="version 2 was written, and version 3 took its place at once"):
        await served.gateway.update_assistant(before, replace(A, description="New"), BY)


async def test_a_cron_that_is_enabled_again_does_not_fire_for_the_past(served: Served) -> None:
    every_second = replace(K, schedule="* * * * * *", enabled=False)
    await applied(served, Desired((A,), (every_second,)))
    (before,) = (await actual(served)).crons
    monthly = replace(every_second, schedule="0 9 1 * *", enabled=True)
    await applied(served, Desired((A,), (monthly,)))
    (after,) = (await actual(served)).crons
    assert after.cron_id == before.cron_id
    assert after.next_run_at is not None
    assert datetime.fromisoformat(after.next_run_at) > datetime.now(UTC)


async def test_a_version_that_is_no_longer_current_is_a_conflict_and_nothing_is_written(
    served: Served,
) -> None:
    await applied(served, DESIRED)
    before = await served.gateway.assistant(A.assistant_id)
    assert before is not None
    await served.others.assistants.update(A.assistant_id, metadata={"x": 1})
    served.wire.reset()
    with pytest.raises(Conflict, match=r"version 1 was expected and 2 is current.* nothing was written"):
        await served.gateway.update_assistant(before, replace(A, description="New"), BY)
    with pytest.raises(Conflict, match="version 1 was expected and 2 is current"):
        await served.gateway.delete_assistant(before)
    assert served.wire.writes == []


async def test_a_version_that_comes_in_between_is_told_and_stays(served: Served) -> None:
    """Here our handlers look right before the write; see test_foreign for servers without."""
    await applied(served, DESIRED)
    edited = replace(DESIRED, assistants=(replace(A, description="New"), DESIRED.assistants[1]))

    async def meanwhile(request: httpx.Request) -> None:
        if request.method == "PATCH":
            await served.others.assistants.update(A.assistant_id, metadata={"x": 1})

    served.wire.before_write = meanwhile
    outcomes = [each async for each in apply(Wish(edited), served.gateway, BY)]
    assert [(each.status, each.version) for each in outcomes] == [("failed", None)]
    assert "version 1 of a was expected to be current, and version 2" in outcomes[0].detail
    assert (await served.others.assistants.get(A.assistant_id))["version"] == 2


async def test_an_assistant_that_was_made_in_between_is_not_taken_over(served: Served) -> None:
    async def meanwhile(request: httpx.Request) -> None:
        if request.url.path == "/assistants":
            await served.others.assistants.create(
                "support", assistant_id=A.assistant_id, name="theirs", if_exists="do_nothing"
            )

    served.wire.before_write = meanwhile
    outcomes = [each async for each in apply(Wish(Desired((A,), (K,))), served.gateway, BY)]
    assert [each.status for each in outcomes] == ["failed", "not tried"]
    assert outcomes[1].detail == "assistant a failed"
    assert (await served.others.assistants.get(A.assistant_id))["name"] == "theirs"


async def test_another_plan_than_the_one_agreed_to_is_refused(served: Served) -> None:
    await applied(served, DESIRED)
    edited = Wish(replace(DESIRED, assistants=(replace(A, description="New"),)))
    agreed = replace(edited, checksum=(await look(edited, served.gateway)).checksum)
    await served.others.assistants.update(A.assistant_id, metadata={"x": 1})
    served.wire.reset()
    with pytest.raises(NotApplied, match="has changed since the plan was made"):
        await applied(served, agreed)
    assert served.wire.writes == []


# What an apply can be interrupted in: every kind of change at once.
OLD = Desired(
    (A, Assistant("gone", "support"), Assistant("b", "support")),
    (K, replace(K, name="anew"), replace(K, name="twice"), replace(K, name="gone", assistant="gone")),
)
NEW = Desired(
    (replace(A, description="New"), Assistant("b", "support"), Assistant("c", "support")),
    (replace(K, schedule="0 8 * * *"), replace(K, name="anew", assistant="b"), replace(K, name="twice"),
     replace(K, name="fresh", assistant="c")),
)  # fmt: skip


async def as_before(served: Served) -> None:
    served.wire.reset()
    await applied(served, Wish(OLD, prune=True, force=True))
    await served.gateway.create_cron(replace(K, name="twice"), BY)


@pytest.mark.parametrize("cut", ["before", "after", "500"])
async def test_an_apply_that_is_cut_at_any_write_is_finished_by_the_next_and_nothing_is_doubled(
    served: Served, cut: Any
) -> None:
    wish = Wish(NEW, prune=True, force=True)
    await as_before(served)
    served.wire.reset()
    await applied(served, wish)
    writes = list(served.wire.writes)
    assert len(writes) == 10, writes
    for number in range(len(writes)):
        await as_before(served)
        served.wire.reset(cut_at=number, cut=cut)
        outcomes = [outcome async for outcome in apply(wish, served.gateway, BY)]
        assert any(outcome.status != "done" for outcome in outcomes), f"cut at {writes[number]}"
        firing = await enabled(served)
        assert {name for name in firing if firing.count(name) > 1} <= {"twice"}, "two would fire in one slot"
        served.wire.reset()
        await applied(served, wish)
        assert (await look(wish, served.gateway)).changes == (), f"cut at {writes[number]}"
        assert sorted(await enabled(served)) == ["anew", "fresh", "k", "twice"]


async def enabled(served: Served) -> Sequence[str]:
    return [row.name for row in (await actual(served)).crons if row.enabled]

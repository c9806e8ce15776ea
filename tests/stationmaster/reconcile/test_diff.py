"""The diff by its laws: applied it leaves nothing to do, what is not ours stays, drift is what others changed."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stationmaster.reconcile.canonical import canonical, digest, same
from stationmaster.reconcile.diff import ABSENT, Actual, Desired, diff
from stationmaster.reconcile.fields import served, wanted
from stationmaster.reconcile.plan import plan
from stationmaster.reconcile.remarks import remarks
from stationmaster.reconcile.resources import STRATEGIES, Assistant, Cron, Work
from stationmaster.reconcile.sparing import WAY_OUT
from tests.stationmaster.reconcile.model import (
    assistants,
    carried_out,
    crons,
    served_assistant,
    served_cron,
    worlds,
)

World = tuple[Desired, Actual]
# A busy machine takes its time over worlds; that is no finding.
SETTINGS = settings(max_examples=40)


@given(worlds(), st.booleans())
@settings(SETTINGS, max_examples=60)
def test_a_plan_that_is_carried_out_leaves_what_the_files_say_and_nothing_to_do(
    world: World, prune: bool
) -> None:
    desired, actual = world
    after = carried_out(diff(desired, actual, prune=prune), actual)
    assert diff(desired, after, prune=prune) == ()
    owned = {each.assistant_id: each for each in after.assistants if each.owned}
    for assistant in desired.assistants:
        has = served(owned[assistant.assistant_id])
        assert {name: has.get(name) for name in wanted(assistant)} == wanted(assistant)
        others = set(has) - set(wanted(assistant))
        assert all(name.startswith("metadata.") for name in others), "labels of others alone are left"
    for cron in desired.crons:
        (row,) = [each for each in after.crons if each.owned and each.name == cron.name]
        assert served(row) == {**wanted(cron), "enabled": cron.enabled and not row.stopped}


@given(worlds(), st.booleans())
@settings(SETTINGS, max_examples=60)
def test_what_is_not_ours_is_never_touched(world: World, prune: bool) -> None:
    desired, actual = world
    after = carried_out(diff(desired, actual, prune=prune), actual)
    assert {each for each in map(repr, actual.assistants) if MARK not in each} <= set(
        map(repr, after.assistants)
    )
    assert {each for each in map(repr, actual.crons) if MARK not in each} <= set(map(repr, after.crons))


MARK = "'managed_by': 'stationmaster'"


@given(worlds())
@settings(SETTINGS)
def test_without_prune_nothing_that_has_no_file_is_deleted(world: World) -> None:
    desired, actual = world
    changes = diff(desired, actual)
    assert not [change for change in changes if change.action == "delete"]
    after = carried_out(changes, actual)
    assert {each.assistant_id for each in actual.assistants} <= {
        each.assistant_id for each in after.assistants
    }
    assert {each.name for each in actual.crons} <= {each.name for each in after.crons}


@given(worlds())
@settings(SETTINGS)
def test_the_order_in_which_a_server_lists_is_nothing(world: World) -> None:
    desired, actual = world
    turned = Actual(actual.assistants[::-1], actual.crons[::-1])
    back = Desired(desired.assistants[::-1], desired.crons[::-1])
    assert plan(desired, actual).checksum == plan(back, turned).checksum


@given(worlds())
@settings(SETTINGS)
def test_keeping_drift_leaves_every_row_that_somebody_changed(world: World) -> None:
    desired, actual = world
    made = plan(desired, actual).keeping_drift()
    after = carried_out(made.changes, actual)
    for change in made.left:
        assert change.drifted
        assert change.served in (*after.assistants, *after.crons)


@given(assistants("a"), assistants("a"), assistants("a"))
@settings(SETTINGS)
def test_drift_is_what_differs_from_what_was_applied(
    applied: Assistant, now: Assistant, file: Assistant
) -> None:
    changes = diff(Desired((file,)), Actual((served_assistant(now, applied),)))
    last, has, wants = wanted(applied), wanted(now), wanted(file)
    for change in changes:
        for field in change.fields:
            assert field.drifted == (not _equal(last, has, field.field))
            assert field.filed == (not _equal(last, wants, field.field))
        assert (change.action == "drift") == all(field.drifted and not field.filed for field in change.fields)
    if wanted(applied) == wanted(now):
        assert not any(change.drifted for change in changes)


def _equal(left: dict[str, object], right: dict[str, object], name: str) -> bool:
    return same(left.get(name, "nothing"), right.get(name, "nothing"))


@given(crons("a"), crons("a"))
@settings(SETTINGS)
def test_a_cron_is_made_anew_only_for_what_no_server_changes(before: Cron, file: Cron) -> None:
    changes = diff(Desired((), (file,)), Actual((), (served_cron(before, before),)))
    names = {field.field for change in changes for field in change.fields}
    assert names == {name for name in wanted(file) if not same(wanted(file)[name], wanted(before)[name])}
    anew = bool(names & {"assistant", "thread"}) or STRATEGIES[before.overlap] != STRATEGIES[file.overlap]
    assert [change.action for change in changes] == (["replace" if anew else "update"] if names else [])


def test_what_a_file_cannot_say_is_taken_away() -> None:
    cron = Cron("a", "b", "0 9 * * *")
    row = served_cron(cron, cron)
    strange = replace(row, end_time="2027-01-01", payload={**row.payload, "context": {"tone": "x"}})
    (change,) = diff(Desired((), (cron,)), Actual((), (strange,)))
    assert [(field.field, field.wanted) for field in change.fields] == [
        ("end_time", ABSENT), ("payload.context", ABSENT)
    ]  # fmt: skip
    assert change.action == "drift"
    assert change.anew, "no server takes a context out of a cron's payload"


def test_a_cron_that_runs_although_it_was_paused_is_no_exception() -> None:
    cron = Cron("a", "b", "0 9 * * *", enabled=False)
    row = replace(served_cron(cron, cron, paused=True), enabled=True)
    (change,) = diff(Desired((), (cron,)), Actual((), (row,)))
    assert [field.field for field in change.fields] == ["enabled"]


@pytest.mark.parametrize("on", [True, False])
def test_what_a_file_says_of_enabled_counts_for_a_paused_cron_too(*, on: bool) -> None:
    cron = Cron("a", "b", "0 9 * * *", enabled=on)
    paused = served_cron(cron, cron, paused=True)
    assert diff(Desired((), (cron,)), Actual((), (paused,))) == ()
    other = replace(cron, enabled=not on)
    (change,) = diff(Desired((), (other,)), Actual((), (paused,)))
    assert [(field.field, field.served, field.wanted) for field in change.fields] == [("enabled", on, not on)]
    assert (change.action, change.anew, change.drifted) == ("update", False, False)


def test_an_assistant_that_others_crons_use_is_not_pruned() -> None:
    assistant = Assistant("a", "support")
    theirs = served_cron(Cron("x", "a", "0 9 * * *"), None, mine=False)
    actual = Actual((served_assistant(assistant, assistant),), (theirs,))
    made = plan(Desired(), actual, prune=True)
    assert made.changes == ()
    assert made.kept == {"a": "crons that are not deleted use it"}


def test_a_prune_leaves_what_work_waits_under_and_what_a_canary_or_a_pin_leads_to() -> None:
    live, arm, pinned, idle = (
        served_assistant(each, each)
        for each in (Assistant(name, "support") for name in ("live", "arm", "pin", "idle"))
    )
    arms = {"id": "c", "assistant": "arm", "assistant_id": arm.assistant_id, "share": 0.1}
    kept = {**arms, "pins": {"acme": {"assistant": "pin", "assistant_id": pinned.assistant_id}}}
    live = replace(live, metadata={**live.metadata, "canary": kept})
    busy = Work(running=2, waiting=1)
    actual = Actual((live, arm, pinned, idle), work={live.assistant_id: busy, idle.assistant_id: Work()})
    made = plan(Desired(), actual, prune=True)
    assert [change.name for change in made.changes] == ["idle"]
    assert made.kept == {
        "live": f"1 question waits for a person and 2 runs are under way ({WAY_OUT})",
        "arm": "the canary or a pin of live leads to it",
        "pin": "the canary or a pin of live leads to it",
    }
    forced = plan(Desired(), actual, prune=True, even_busy=True)
    assert [change.name for change in forced.changes] == ["live", "arm", "idle", "pin"], (
        "who leads to others goes first"
    )
    assert forced.losing == {"live": busy}
    assert forced.kept == {}
    said = "live: 1 question waits for a person and 2 runs are under way, which is lost"
    assert said in " ".join(remarks(forced))
    filed = plan(Desired((Assistant("live", "support"),)), actual, prune=True, even_busy=True)
    assert [change.name for change in filed.changes] == ["idle"], "the live one stays, and so do its arms"


def test_a_taken_id_is_told_and_left() -> None:
    theirs = replace(served_assistant(Assistant("a", "support"), None), metadata={"mine": True})
    made = plan(Desired((Assistant("a", "digest"),)), Actual((theirs,)))
    assert made.changes == ()
    assert made.taken == ("a",)


def test_assistants_come_before_crons_and_go_after_them() -> None:
    old, new = Assistant("old", "support"), Assistant("new", "support")
    before, after = Cron("k", "old", "0 9 * * *"), Cron("k", "new", "0 9 * * *")
    actual = Actual((served_assistant(old, old),), (served_cron(before, before),))
    changes = diff(Desired((new,), (after,)), actual, prune=True)
    assert [(change.kind, change.name, change.action) for change in changes] == [
        ("assistant", "new", "create"), ("cron", "k", "replace"), ("assistant", "old", "delete")
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [(1, 1.0, True), (True, 1, False), ([1], (1,), True), ({"a": 1, "b": 2}, {"b": 2, "a": 1}, True), (None, "", False),
     (0, False, False), (1e300, 10**300, False), ("1", 1, False), (0.1, 0.1, True), ([], {}, False)],
)  # fmt: skip
def test_json_is_compared_as_what_it_means(left: object, right: object, equal: bool) -> None:
    assert same(left, right) is equal
    assert (digest(left) == digest(right)) is equal


def test_what_is_no_json_is_no_value() -> None:
    for value in (float("nan"), object(), {1, 2}, b"x"):
        with pytest.raises(ValueError, match="JSON"):
            canonical(value)

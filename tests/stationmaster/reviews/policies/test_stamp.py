"""Which policy counts, and what it lays down for a review: pure, so that no database is needed."""

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.shared.approvals import Answer
from stationmaster.reviews import policies, shapes
from stationmaster.reviews.model import Facts, Pending, Submission
from stationmaster.reviews.policies.conditions import holds
from stationmaster.reviews.policies.durations import WorkingHours, advance, parse
from stationmaster.reviews.policies.format import Condition
from stationmaster.reviews.policies.values import ZoneInfo

ROOT = Path(__file__).parents[4]
NOW = datetime(2026, 3, 27, 15, 0, tzinfo=UTC)  # a Friday; Berlin's clocks change on the Sunday after
PENDING: dict[str, Any] = {
    "thread_id": "t", "interrupt_id": "i", "node": "n", "namespace": "", "checkpoint_id": "c", "kind": "interrupt",
}  # fmt: skip


def facts(payload: Any = None, amount_usd: float | None = None, **more: Any) -> Facts:
    known = {"graph": "support", "assistant_id": "id-1", "assistant_name": "calm", "assistant_version": 3}
    return Facts(**{
        **known, "node": "approve", "shape": "typed", "title": "t", "payload": payload, "amount_usd": amount_usd,
        "debug": False, **more,
    })  # fmt: skip


def loaded(directory: Path, text: str) -> policies.Policies:
    (directory / "a.yaml").write_text(text)
    return policies.load(directory)


@pytest.mark.parametrize(
    ("amount", "policy", "two"),
    [(120, "refunds", False), (199.99, "refunds", False), (200, "large-refunds", False),
     (640.0, "large-refunds", False), (1000, "large-refunds", False),
     (1000.01, "large-refunds", True), (2500, "large-refunds", True)],
)  # fmt: skip
def test_the_shipped_policies_for_support(amount: float, policy: str, two: bool) -> None:
    shipped = policies.load(ROOT / policies.SHIPPED)
    stamp = shipped.stamp(facts({"kind": "refund_approval", "amount_usd": amount}, amount), NOW)
    assert (stamp.policy["name"], stamp.two_person, stamp.groups) == (policy, two, ("support",))
    assert stamp.escalate_to == "leads" and stamp.default_on_expiry is None and stamp.expires_at is None
    if policy == "large-refunds":
        assert stamp.due_at == NOW + timedelta(hours=4) and stamp.remind_at == NOW + timedelta(hours=2)
    assert shipped.stamp(facts(graph="other"), NOW).policy["name"] == "default"


def test_the_first_match_counts_and_files_come_by_name(tmp_path: Path) -> None:
    one = "policies:\n  - {{name: {0}, reviewers: {0}, match: {{graph: support}}}}\n"
    (tmp_path / "b.yaml").write_text(one.format("b"))
    (tmp_path / "c.yaml").write_text("default: {reviewers: staff}\n" + one.format("c"))
    assert policies.load(tmp_path).stamp(facts(), NOW).groups == ("b",)
    (tmp_path / "a.yaml").write_text(one.format("a"))
    stamp = policies.load(tmp_path).stamp(facts(), NOW)
    assert stamp.groups == ("a",) and stamp.policy["source"] == "a.yaml:2"


def test_every_key_of_a_match_has_to_fit(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        "policies:\n  - name: x\n    reviewers: r\n"
        "    match: {graph: [support, other], assistant: calm, shape: typed, node: approve, payload: {kind: refund}}\n"
        "default: {reviewers: staff}\n",
    )
    fitting = facts({"kind": "refund"})
    assert found.rule(fitting).name == "x"
    assert found.rule(replace(fitting, graph="other", assistant_name=None, assistant_id="calm")).name == "x"
    for other in (
        {"graph": "third"}, {"graph": None}, {"assistant_name": "x"}, {"shape": "plain"}, {"node": None},
        {"payload": {"kind": "x"}}, {"payload": None}, {"payload": "refund"},
    ):  # fmt: skip
        assert found.rule(replace(fitting, **other)).name == "default"


@pytest.mark.parametrize(
    ("condition", "payload", "path", "wanted"),
    [
        ({"above": 100}, {"a": 100}, "a", False),
        ({"above": 100}, {"a": 100.01}, "a", True),
        ({"above": 100}, {"a": "100.01"}, "a", True),
        ({"above": 100}, {"a": "$1,000"}, "a", True),
        ({"above": 100}, {"a": "lots"}, "a", False),
        ({"above": 0}, {"a": True}, "a", False),
        ({"above": 0}, {"a": float("nan")}, "a", False),
        ({"above": 0}, {"a": float("inf")}, "a", True),
        ({"above": 0.1}, {"a": 0.1}, "a", False),
        ({"at_least": 99.9, "at_most": 100}, {"a": 99.9}, "a", True),
        ({"at_least": 99.9, "below": 100}, {"a": 100}, "a", False),
        ({"above": 10**30}, {"a": 10**31}, "a", True),
        ("x", {"a": "x"}, "a", True),
        (1, {"a": True}, "a", False),
        (1, {"a": 1.0}, "a", True),
        (None, {"a": None}, "a", True),
        (None, {}, "a", False),
        ({"in": ["x", "y"]}, {"a": "y"}, "a", True),
        ({"in": ["x"]}, {"a": ["x"]}, "a", False),
        ({"exists": True}, {"a": None}, "a", True),
        ({"exists": True}, {}, "a", False),
        ({"exists": False}, {}, "a.b", True),
        ({"exists": False}, {"a": {"b": 0}}, "a.b", False),
        ({"exists": False, "equals": 1}, {}, "a", False),
        ({"above": 5}, {"calls": [{"n": 1}, {"n": 9}]}, "calls.*.n", True),
        ({"above": 5}, {"calls": [{"n": 1}, {"n": 9}]}, "calls.0.n", False),
        ({"above": 5}, {"calls": [{"n": 1}, {"n": 9}]}, "calls.1.n", True),
        ({"above": 5}, {"calls": []}, "calls.0.n", False),
        ({"above": 5}, [{"n": 9}], "0.n", True),
        ({"above": 5}, {"a": {"x": 1, "y": 9}}, "a.*", True),
    ],
)
def test_conditions(condition: Any, payload: Any, path: str, wanted: bool) -> None:
    assert holds(Condition.model_validate(condition), payload, path) is wanted


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("ab*0"), inner, max_size=3),
)


@given(json_values, st.text(alphabet="ab*0.²", max_size=8))
def test_no_payload_makes_a_condition_fail(payload: Any, path: str) -> None:
    for condition in ({"above": 1}, {"equals": "x"}, {"in": [1]}, {"exists": True}):
        assert holds(Condition.model_validate(condition), payload, path) in (True, False)


def test_two_people_above_an_amount_and_for_an_amount_nobody_could_read() -> None:
    assert policies.needs_two(False, 500, 500.01) and policies.needs_two(False, 500, None)
    assert policies.needs_two(False, 500, float("nan")) and policies.needs_two(True, None, 1)
    assert not policies.needs_two(False, 500, 500) and not policies.needs_two(False, None, None)


def test_expiry_reminder_and_answer(tmp_path: Path) -> None:
    found = loaded(
        tmp_path,
        "policies:\n"
        "  - {name: a, reviewers: r, match: {graph: a}, due: 4h, escalate_to: leads, on_expiry: reject}\n"
        "  - {name: b, reviewers: r, match: {graph: b}, due: 4h, remind: 1h, on_expiry: {answer: {n: 1, f: 1.0}}}\n"
        "  - {name: c, reviewers: r, match: {graph: c}, expires: 1d, on_expiry: close}\n"
        "  - {name: d, reviewers: r, match: {graph: d}, expires: 1d, on_expiry: {decision: reject, reason: Too late}}\n"
        "default: {reviewers: staff}\n",
    )
    a, b, c, d, e = (found.stamp(facts(graph=graph), NOW) for graph in "abcde")
    assert (a.remind_at, a.expires_at) == (NOW + timedelta(hours=2), NOW + timedelta(hours=8))
    assert a.default_on_expiry is not None and a.default_on_expiry["decision"] == "reject"
    assert (b.remind_at, b.expires_at) == (NOW + timedelta(hours=1), NOW + timedelta(hours=4))
    assert b.default_on_expiry is not None
    assert b.default_on_expiry == {"decision": "answer", "raw": {"n": 1, "f": 1.0}, "has_raw": True}
    assert [type(value) for value in b.default_on_expiry["raw"].values()] == [int, float]
    assert c.default_on_expiry == {"decision": "close"} and c.due_at is None and c.remind_at is None
    assert d.default_on_expiry is not None and d.default_on_expiry["reason"] == "Too late"
    assert (e.due_at, e.expires_at, e.default_on_expiry, e.policy["notify"]) == (None, None, None, {})


def test_a_developers_breakpoint_is_never_due_and_tells_nobody() -> None:
    stamp = policies.load(ROOT / policies.SHIPPED).stamp(facts({"amount_usd": 9000}, 9000, debug=True), NOW)
    assert (stamp.due_at, stamp.remind_at, stamp.expires_at, stamp.escalate_to) == (None, None, None, None)
    assert not stamp.two_person and "notify" not in stamp.policy


def test_a_changed_file_does_not_reach_a_stamp_that_was_given(tmp_path: Path) -> None:
    strict = "default: {reviewers: r, due: 1h, two_people: always, risk: high}\n"
    found = loaded(tmp_path, strict)
    before = found.stamp(facts(), NOW)
    kept = replace(before)
    after = loaded(tmp_path, "default: {reviewers: everybody, risk: low, bulk: true}\n").stamp(facts(), NOW)
    assert before == kept and before.two_person and not before.bulk_allowed
    assert not after.two_person and after.bulk_allowed


@pytest.mark.parametrize(
    ("text", "hours"), [("90m", 1.5), ("4h", 4), ("2d", 48), ("1w1d", 192), ("1d12h30m", 36.5)]
)
def test_durations(text: str, hours: float) -> None:
    assert parse(text) == timedelta(hours=hours)


@pytest.mark.parametrize(
    "text", ["", "4", "h", "4 h", "-4h", "4h2d", "4H", "１h", "4h\n", "1.5h", "9" * 30 + "w", 4, None]
)
def test_what_is_no_duration(text: object) -> None:
    with pytest.raises(ValueError, match=r"no duration|longer than a year"):
        parse(text)


BERLIN = WorkingHours(ZoneInfo("Europe/Berlin"), frozenset(range(5)), time(9), time(17))


def test_working_hours_skip_nights_and_weekends_and_follow_the_clock_change() -> None:
    """Friday 16:00 in Berlin (UTC+1) has one hour left; the rest is counted on Monday, in summer time (UTC+2)."""
    assert advance(NOW, timedelta(hours=1), BERLIN) == datetime(2026, 3, 27, 16, 0, tzinfo=UTC)
    assert advance(NOW, timedelta(hours=4), BERLIN) == datetime(2026, 3, 30, 10, 0, tzinfo=UTC)
    saturday = datetime(2026, 3, 28, 12, 0, tzinfo=UTC)
    assert advance(saturday, timedelta(minutes=30), BERLIN) == datetime(2026, 3, 30, 7, 30, tzinfo=UTC)


@given(
    st.datetimes(datetime(2025, 1, 1), datetime(2027, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
    st.timedeltas(timedelta(seconds=1), timedelta(days=20)),
    st.timedeltas(timedelta(seconds=1), timedelta(days=5)),
)
def test_working_hours_are_never_shorter_than_the_time_itself_and_add_up(
    moment: datetime, length: timedelta, more: timedelta
) -> None:
    reached = advance(moment, length, BERLIN)
    assert reached - moment >= length
    assert advance(reached, more, BERLIN) == advance(moment, length + more, BERLIN)


@pytest.mark.parametrize("default", ["approve", "reject", "{decision: reject, reason: Too late}"])
@pytest.mark.parametrize("shape", ["typed", "tool call"])
def test_a_default_is_an_answer_that_the_question_takes(tmp_path: Path, default: str, shape: str) -> None:
    found = loaded(tmp_path, f"default: {{reviewers: r, due: 1h, on_expiry: {default}}}\n")
    submission = Submission(**(found.stamp(facts(), NOW).default_on_expiry or {}))
    if shape == "typed":
        pending = Pending(**PENDING, value={"amount_usd": 640.0}, response_schema=Answer.model_json_schema())
    else:
        call = {"action_requests": [{"name": "pay", "args": {"usd": 5}}]}
        allowed = {"review_configs": [{"action_name": "pay", "allowed_decisions": ["approve", "reject"]}]}
        pending = Pending(**PENDING, value={**call, **allowed}, response_schema=None)
    resume = shapes.of(pending).answer(pending, submission)
    assert submission.decision in str(resume.value)
    if submission.reason:
        assert submission.reason in str(resume.value)

"""The amount of what an answer will send: no way to answer raises it past a policy's figure unnoticed."""

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel

from stationmaster.reviews import shapes
from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Pending, Submission
from stationmaster.reviews.policies import needs_two
from stationmaster.reviews.shapes.amounts import KEYS
from tests.stationmaster.reviews.shapes.asking import decide, pending, typed, whole

FIGURE = 1000


class Approval(BaseModel):
    action: Literal["approve", "edit", "reject"]
    amount_usd: float | None = None
    reason: str | None = None
    parts: list[dict[str, Any]] = []


def batch(*calls: dict[str, Any]) -> Pending:
    allowed = ["approve", "edit", "reject", "respond"]
    return pending(
        {
            "action_requests": [{"name": "pay", "args": args} for args in calls],
            "review_configs": [{"action_name": "pay", "allowed_decisions": allowed} for _ in calls],
        }
    )


def inbox(*calls: Any) -> Pending:
    config = {"allow_ignore": True, "allow_respond": True, "allow_edit": True, "allow_accept": True}
    return pending([{"action_request": {"action": "pay", "args": args}, "config": config} for args in calls])


def per_call(args: dict[str, Any]) -> Pending:
    edited = {"type": "object", "properties": {"name": {"const": "pay"}, "args": {"type": "object"}}}
    members = [
        {"type": "object", "properties": {"type": {"const": "approve"}}, "required": ["type"]},
        {
            "type": "object",
            "properties": {"type": {"const": "edit"}, "edited_action": edited},
            "required": ["type", "edited_action"],
        },
        {
            "type": "object",
            "properties": {"type": {"const": "reject"}, "message": {"type": "string"}},
            "required": ["type"],
        },
    ]
    value = {"type": "tool_approval", "tool_call_id": "1", "name": "pay", "args": args}
    return pending(value, {"oneOf": members})


def stopped(values: dict[str, Any]) -> Pending:
    return pending({"next": ["pay"], "values": values}, kind="breakpoint", nodes=("draft",))


def node_stopped(value: Any) -> Pending:
    return pending(value, kind="node_interrupt")


PLAIN = pending({"question": "How much?", "amount_usd": 50, "order": 88123})
APPROVAL = typed({"amount_usd": 50, "title": "Refund?"}, Approval)


def amount(question: Pending, submission: Submission) -> float | None:
    shape = shapes.of(question)
    shape.validate(question, submission)
    return shape.amount(question, submission)


@pytest.mark.parametrize(
    ("question", "submission"),
    [
        (batch({"amount": 50, "to": "x"}), decide("edit", {"amount": 50_000})),
        (batch({"amount_usd": 50, "amount": 50}), decide("edit", {"amount": 50_000})),
        (batch({"note": "x", "amount": "50"}), decide("edit", {"amount": "fifty thousand"})),
        (
            batch(*[{"amount_usd": 100}] * 3),
            decide(
                "each",
                {f"{n}.decision": "edit" for n in range(3)} | {f"{n}.args.amount_usd": 400 for n in range(3)},
            ),
        ),
        (
            batch({"amount": 50}),
            whole({"decisions": [{"type": "edit", "edited_action": {"name": "pay", "args": {"to": "x"}}}]}),
        ),
        (
            batch({"amount": 50}),
            whole(
                {
                    "decisions": [
                        {
                            "type": "edit",
                            "edited_action": {
                                "name": "pay",
                                "args": {"amount": 50, "then": [{"amount": 9e4}]},
                            },
                        }
                    ]
                }
            ),
        ),
        (
            per_call({"amount": 50}),
            whole({"type": "edit", "edited_action": {"name": "pay", "args": {"amount": 9e4}}}),
        ),
        (inbox({"amount": 50}), decide("edit", {"amount": 50_000})),
        (inbox({"amount": 50}), decide("respond", {"message": "pay 99999"})),
        (
            inbox({"amount": 50}),
            whole([{"type": "accept", "args": {"action": "pay", "args": {"amount": 9e4}}}]),
        ),
        (inbox({"amount": 50}), whole([{"type": "ignore", "args": {"amount": 9e4}}])),
        (PLAIN, whole([{"amount_usd": 99_999}])),
        (PLAIN, whole(99_999)),
        (PLAIN, whole("$99,999")),
        (PLAIN, whole("pay 99999 please")),
        (PLAIN, whole([99_999])),
        (PLAIN, whole({"args": {"amount_usd": 90_000}})),
        (PLAIN, whole({"refund": 99_999})),
        (PLAIN, whole({"refund": "99999"})),
        (PLAIN, whole({"amount": "ninety thousand"})),
        (APPROVAL, whole({"action": "edit", "amount_usd": 5_000})),
        (APPROVAL, whole({"action": "approve", "parts": [{"amount": 600}, {"amount": 600}]})),
        (APPROVAL, whole({"action": "reject", "amount_usd": 5_000, "reason": "no"})),
        (
            stopped({"amount_usd": 50, "refund": {}}),
            decide("edit", {"refund": {"amount_usd": 99_999}}),
        ),
        (stopped({"amount": 50}), whole({"state_update": {"amount": 99_999}}, "edit")),
        (stopped({"amount": 50}), whole({"as_node": "draft", "state_update": {"amount": 99_999}})),
        (node_stopped({"amount": 50}), whole({"state_update": {"refund": 99_999}}, "edit")),
        (node_stopped({"amount": 50}), whole({"state_update": {"a": {"amount": 99_999}}, "skip": True})),
    ],
)
def test_what_raises_the_amount_or_hides_it_takes_two(question: Pending, submission: Submission) -> None:
    opened = shapes.of(question).describe(question).amount_usd
    assert not needs_two(False, FIGURE, opened), "it would be two people's anyway"
    assert needs_two(False, FIGURE, amount(question, submission))


@pytest.mark.parametrize(
    ("question", "submission", "expected"),
    [
        (batch({"amount": 50}, {"to": "x"}), decide("approve"), 50),
        (batch({"amount": 50}), decide("edit", {"amount": 60}), 60),
        (batch({"amount": 50}), decide("reject", reason="no"), 0),
        (batch({"amount": 50}), decide("respond", {"message": "paid 99999"}), 0),
        (
            batch({"amount": 700}, {"amount": 200}),
            decide("each", {"0.decision": "approve", "1.decision": "reject", "1.message": "no"}),
            700,
        ),
        (per_call({"amount": 50}), decide("approve"), 50),
        (inbox({"amount": 50}), whole([{"type": "accept", "args": {"action": "pay", "args": {"amount": 50}}}]), 50),
        (inbox({"amount": 50}), decide("ignore"), 0),
        (PLAIN, whole(True), 50),
        (PLAIN, whole("yes"), 50),
        (PLAIN, whole(40), 40),
        (PLAIN, whole({"approved": True, "order": 88123}), 50),
        (PLAIN, whole({"amount_usd": 40, "order": 1}), 40),
        (APPROVAL, decide("approve"), 50),
        (APPROVAL, decide("reject", reason="not yet, in 2 days"), 0),
        (APPROVAL, decide("edit", {"amount_usd": 45.5}), 45.5),
        (stopped({"amount": 50, "n": 1}), decide("continue"), 50),
        (stopped({"amount": 50, "n": 1}), decide("edit", {"n": 2_000}), 50),
        (node_stopped({"amount": 50}), whole({"state_update": {"approved": True}}, "edit"), 50),
    ],
)  # fmt: skip
def test_what_does_not_is_read_as_when_it_opened(
    question: Pending, submission: Submission, expected: float
) -> None:
    assert amount(question, submission) == expected


def test_what_comes_back_offsets_nothing() -> None:
    question = batch({"amount": 5_000}, {"amount": -4_900})
    assert shapes.of(question).describe(question).amount_usd == 5_000


small = st.integers(1, 300)
anything = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(10**6), 10**6), st.sampled_from(["x", "900", "$5,000"])
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYS, "args", "to"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def asked(draw: st.DrawFn) -> Pending:
    """A question of any shape that one person may answer, its amount under either key."""
    key = draw(st.sampled_from(KEYS))
    args = draw(st.lists(st.fixed_dictionaries({key: small, "to": st.just("x")}), min_size=1, max_size=3))
    one = args[0]
    return draw(
        st.sampled_from(
            [batch(*args), inbox(*args), per_call(one), pending(one), typed(one, Approval), stopped(one),
             pending({"args": one}), node_stopped(one)]
        )
    )  # fmt: skip


@st.composite
def answers(draw: st.DrawFn, question: Pending) -> Submission:
    """In the shape's own form, with anything in the places that a person fills."""
    made, number = draw(anything), len(question.value) if isinstance(question.value, list) else 1
    if isinstance(question.value, dict) and "action_requests" in question.value:
        number = len(question.value["action_requests"])
    edit = {"type": "edit", "edited_action": {"name": "pay", "args": made}}
    response = {"type": "edit", "args": {"action": "pay", "args": made}}
    raw = draw(
        st.sampled_from(
            [made, edit, {"decisions": [edit] * number}, [response] * number,
             [{"type": "accept", "args": made}] * number, {"state_update": made},
             {"as_node": "draft", "state_update": made},
             {"action": "edit", "amount_usd": made}, {"action": "approve", "parts": [made]}]
        )
    )  # fmt: skip
    return whole(raw)


def named(value: Any) -> Iterator[float]:
    """Every number under an amount's key."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key in KEYS and isinstance(item, int | float) and not isinstance(item, bool):
                yield float(item)
            yield from named(item)
    elif isinstance(value, list):
        for item in value:
            yield from named(item)


@given(st.data())
@settings(max_examples=100, suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow])
def test_no_amount_is_sent_that_is_larger_than_what_was_read(data: st.DataObject) -> None:
    question = data.draw(asked())
    submission = data.draw(answers(question))
    shape = shapes.of(question)
    try:
        resume = shape.answer(question, submission)
    except AnswerRefused:
        assume(False)
        raise
    read = shape.amount(question, submission)
    paid = [amount for amount in (*named(resume.value), *named(resume.state_update)) if amount > 0]
    assert read is None or not paid or read >= max(paid)

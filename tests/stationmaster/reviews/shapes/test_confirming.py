"""An answer that was made once is accepted again as it stands: so a second person confirms the first one's."""

from typing import Any

import pytest

from stationmaster.reviews import shapes
from stationmaster.reviews.model import Pending, Submission
from tests.stationmaster.reviews.shapes.asking import decide, exactly, form, typed, whole
from tests.stationmaster.reviews.shapes.test_agent_inbox import LISTED
from tests.stationmaster.reviews.shapes.test_hitl import ONE, PER_CALL, THREE, TWO
from tests.stationmaster.reviews.shapes.test_others import RAISED, STOPPED
from tests.stationmaster.reviews.shapes.test_typed import APPROVAL, ORDER, Approved, Order, Review

EACH = {"0.decision": "edit", "0.args.amount_usd": 1, "1.decision": "approve", "2.message": "x"}
BACK = {"as_node": "read", "state_update": {"feedback": "x"}}
CASES: list[tuple[Pending, list[Submission]]] = [
    (
        LISTED,
        [
            decide("approve"),
            decide("edit", {"to": "x"}),
            decide("respond", {"message": "x"}),
            decide("ignore"),
        ],
    ),
    (ONE, [decide("approve"), decide("edit", {"amount_usd": 1}), decide("reject", reason="x")]),
    (PER_CALL, [decide("approve"), decide("edit", {"amount_usd": 1}), decide("respond", {"message": "x"})]),
    (TWO, [decide("approve"), decide("reject", reason="x")]),
    (THREE, [decide("each", EACH)]),
    (APPROVAL, [decide("approve"), decide("edit", {"amount_usd": 1}), decide("reject", reason="x")]),
    (ORDER, [decide("answer", {"quantity": 3})]),
    (typed("?", Order | None), [decide("null"), decide("answer", {"order_id": "1", "quantity": 3})]),
    (typed("?", Review), [decide("approve", {"comment": "x"})]),
    (typed("?", Approved), [decide("approve"), decide("reject", {"comment": "x"})]),
    (typed("?", int), [decide("answer", {"answer": 1})]),
    (
        STOPPED,
        [decide("continue"), decide("approve"), decide("edit", {"text": "x"}), decide("send_back", BACK)],
    ),
    (RAISED, [decide("skip"), decide("edit", {"state_update": {"a": 1}})]),
]


@pytest.mark.parametrize(
    ("question", "submission"), [(question, sent) for question, all_of in CASES for sent in all_of]
)
def test_the_same_decision_with_the_whole_answer_is_the_same_answer(
    question: Pending, submission: Submission
):
    shape = shapes.of(question)
    first = shape.answer(question, submission)
    made: Any = shape.validate(question, submission)
    for decision in {submission.decision, "answer"}:
        again = whole(made, decision)
        assert exactly(shape.validate(question, again)) == exactly(made)
        assert shape.answer(question, again) == first
        assert shape.edits(question, again) == shape.edits(question, submission)


def test_every_shape_is_confirmed_here():
    assert {shapes.of(question).NAME for question, _ in CASES} == {shape.NAME for shape in shapes.ORDER} - {
        "plain"
    }
    assert all(form(question).choices for question, _ in CASES)

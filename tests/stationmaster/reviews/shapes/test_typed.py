"""Typed questions: a form from the schema, the answer in its types, refusals in words."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from agents.shared.approvals import Answer
from stationmaster.reviews import shapes
from stationmaster.reviews.model import Pending, Submission
from tests.fakes.graphs.typed import Colour, Line, Order
from tests.stationmaster.reviews.shapes.asking import (
    choice,
    decide,
    edits,
    exactly,
    form,
    pending,
    refusal,
    typed,
    value,
    whole,
)

REFUND = {
    "kind": "refund_approval",
    "title": "Refund $640.00 for order 88123?",
    "amount_usd": 640.0,
    "draft": "Dear Rosa,\nyour money is on its way.",
    "reason": "damaged",
    "problem": None,
}
APPROVAL = typed(REFUND, Answer)


def test_a_union_is_one_choice_for_each_member():
    approve, edit, reject = form(APPROVAL).choices
    assert [c.decision for c in (approve, edit, reject)] == ["approve", "edit", "reject"]
    assert approve.primary and not approve.fields
    assert [(f.name, f.type, f.value, f.required) for f in edit.fields] == [
        ("amount_usd", "number", 640.0, False),
        ("reply", "string", REFUND["draft"], False),
    ]
    assert edit.fields[0].schema["exclusiveMinimum"] == 0 and edit.fields[0].schema["nullable"]
    assert edit.fields[1].schema["format"] == "multiline"
    assert reject.destructive
    # The payload's `reason` is why the customer wants money back, not why it is refused.
    assert [(f.name, f.value, f.required) for f in reject.fields] == [("reason", None, True)]


@pytest.mark.parametrize(
    ("submission", "answer"),
    [
        (decide("approve"), {"action": "approve"}),
        (decide("approve", {"action": "approve"}), {"action": "approve"}),
        (decide("edit", {"amount_usd": 600}), {"action": "edit", "amount_usd": 600}),
        (decide("edit", {"amount_usd": 600.5}), {"action": "edit", "amount_usd": 600.5}),
        (
            decide("edit", {"amount_usd": 600, "reply": REFUND["draft"]}),
            {"action": "edit", "amount_usd": 600},
        ),
        (decide("edit", {"amount_usd": 640, "reply": "Hi"}), {"action": "edit", "reply": "Hi"}),
        (whole({"amount_usd": 300}, "edit"), {"action": "edit", "amount_usd": 300}),
        (whole({"action": "edit", "amount_usd": 300}, "edit"), {"action": "edit", "amount_usd": 300}),
        (whole({"action": "edit", "amount_usd": 640.0}), {"action": "edit", "amount_usd": 640.0}),
        (decide("reject", {"reason": "too late"}), {"action": "reject", "reason": "too late"}),
        (decide("reject", reason="too late"), {"action": "reject", "reason": "too late"}),
        (whole({"action": "approve"}), {"action": "approve"}),
    ],
)
def test_the_answer_of_each_choice(submission: Submission, answer: Any):
    assert exactly(value(APPROVAL, submission)) == exactly(answer)


@pytest.mark.parametrize(
    ("submission", "problems"),
    [
        (decide("edit", {"amount_usd": "600"}), {"amount_usd": "must be a number, not text"}),
        (decide("edit", {"amount_usd": 0}), {"amount_usd": "must be more than 0"}),
        (decide("edit", {"reply": ""}), {"reply": "must not be empty"}),
        (
            decide("edit", {"amount_usd": 640}),
            {"": "nothing was changed: choose another decision, or change something"},
        ),
        (
            whole({"action": "edit", "amount_usd": None}),
            {"": "nothing was changed: choose another decision, or change something"},
        ),
        (decide("reject"), {"reason": "is required"}),
        (decide("reject", {"reason": " "}), {"reason": "must not be empty"}),
        (decide("reject", {"reason": "x" * 2001}), {"reason": "must have at most 2000 characters"}),
        (
            decide("approve", {"action": "reject"}),
            {"action": "says something else than the decision, approve"},
        ),
        (decide("pay"), {"decision": "`pay` is not offered here; choose approve, edit, reject"}),
        (whole({"action": "pay"}), {"action": "must be one of approve, edit, reject"}),
        (whole({"action": "approve", "x": 1}), {"x": "is not a field of this answer"}),
        (
            whole({"action": "reject", "reason": "x"}, "approve"),
            {"decision": "is `approve`, and the answer says otherwise"},
        ),
        (whole(True), {"answer": "must be an object with action"}),
        (whole(None), {"answer": "must be an object with action"}),
    ],
)
def test_refusals(submission: Submission, problems: dict[str, str]):
    assert refusal(APPROVAL, submission) == problems


def test_before_and_after_of_an_edit():
    assert edits(APPROVAL, decide("edit", {"amount_usd": 600, "reply": "Hi"})) == {
        "amount_usd": {"before": 640.0, "after": 600},
        "reply": {"before": REFUND["draft"], "after": "Hi"},
    }
    assert edits(APPROVAL, decide("reject", reason="no")) is None


class Pay(BaseModel):
    do: Literal["pay"]
    amount_usd: float
    memo: str | None = None


class Keep(BaseModel):
    do: Literal["reject"]
    amount_usd: float | None = None


def test_an_amount_counts_whatever_the_decision_is_called():
    question = typed(REFUND, Pay | Keep)
    assert [c.decision for c in form(question).choices] == ["pay", "reject"]
    more = {"amount_usd": {"before": 640.0, "after": 900}}
    assert edits(question, decide("pay", {"amount_usd": 900, "memo": "x"})) == more
    assert edits(question, whole({"do": "reject", "amount_usd": 900})) == more
    assert edits(question, decide("pay", {"amount_usd": 640})) is None
    assert edits(typed("Pay?", Pay | Keep), whole({"do": "pay", "amount_usd": 5})) == {
        "amount_usd": {"after": 5}
    }


ORDER = typed({"order_id": "88123", "quantity": 2, "price_usd": 10.0, "gift": True, "lines": "many"}, Order)


def test_a_plain_object_is_one_form():
    (only,) = form(ORDER).choices
    assert only.decision == "answer" and only.primary
    drawn = [(f.name, f.label, f.type, f.value, f.required, f.editable) for f in only.fields]
    assert drawn == [
        ("order_id", "Order ID", "string", "88123", True, False),
        ("quantity", "Quantity", "integer", 2, True, True),
        ("price_usd", "Price USD", "number", 10.0, False, True),
        ("gift", "Gift", "boolean", True, False, True),
        ("colour", "Colour", "string", "red", False, True),
        ("note", "Note", "string", None, False, True),
        ("lines", "Lines", "array", [], False, True),
    ]
    schemas = {f.name: f.schema for f in only.fields}
    assert (schemas["quantity"]["minimum"], schemas["quantity"]["maximum"]) == (1, 10)
    assert schemas["colour"]["enum"] == ["red", "green"]
    assert schemas["lines"]["items"]["properties"]["quantity"]["type"] == "integer"
    assert only.fields[1].help == "How many"


def test_its_parts_keep_their_types_and_closed_ones_their_value():
    sent = {
        "quantity": 3,
        "price_usd": 10,
        "gift": False,
        "note": None,
        "lines": [{"sku": "A", "quantity": 1}],
    }
    made = value(ORDER, decide("answer", sent))
    assert exactly(made) == exactly(
        {
            "order_id": "88123",
            "quantity": 3,
            "price_usd": 10.0,
            "gift": False,
            "lines": [{"sku": "A", "quantity": 1}],
        }
    )
    assert edits(ORDER, decide("answer", sent)) == {
        "quantity": {"before": 2, "after": 3},
        "gift": {"before": True, "after": False},
        "lines": {"before": "many", "after": [{"sku": "A", "quantity": 1}]},
    }


@pytest.mark.parametrize(
    ("submission", "problems"),
    [
        (decide("answer", {"order_id": "9"}), {"order_id": "can't be edited"}),
        (whole({"order_id": "9", "quantity": 1}), {"order_id": "can't be edited"}),
        (decide("answer", {"quantity": 11}), {"quantity": "must be at most 10"}),
        (decide("answer", {"quantity": 1.5}), {"quantity": "must be a whole number, not a number"}),
        (decide("answer", {"quantity": None}), {"quantity": "must be a whole number, not null"}),
        (decide("answer", {"gift": "yes"}), {"gift": "must be true or false, not text"}),
        (decide("answer", {"colour": "blue"}), {"colour": "must be one of red, green"}),
        (decide("answer", {"price_usd": "1"}), {"price_usd": "must be a number, not text"}),
        (
            decide("answer", {"lines": [{"sku": "A", "quantity": 0}, {"quantity": 1}]}),
            {"lines.0.quantity": "must be at least 1", "lines.1.sku": "is required"},
        ),
        (whole({"order_id": "88123"}), {"quantity": "is required"}),
        (whole([]), {"": "must be an object, not a list"}),
    ],
)
def test_its_refusals(submission: Submission, problems: dict[str, str]):
    assert refusal(ORDER, submission) == problems


class Review(TypedDict):
    """How many graphs ask: one property decides, the rest says more."""

    decision: Literal["approve", "reject"]
    comment: str


class Approved(BaseModel):
    approved: bool
    comment: str | None = None


def test_a_property_that_decides_becomes_the_choices():
    words, yes_or_no = typed("Publish?", Review), typed("Publish?", Approved)
    for question in (words, yes_or_no):
        assert [c.decision for c in form(question).choices] == ["approve", "reject"]
    assert value(words, decide("approve", {"comment": "fine"})) == {"decision": "approve", "comment": "fine"}
    assert value(words, decide("reject", reason="dull")) == {"decision": "reject", "comment": "dull"}
    assert value(yes_or_no, decide("approve")) == {"approved": True}
    assert value(yes_or_no, decide("reject", reason="dull")) == {"approved": False, "comment": "dull"}
    assert value(yes_or_no, whole({"approved": False})) == {"approved": False}
    assert "decision" in refusal(yes_or_no, whole({"approved": False}, "approve"))
    assert refusal(yes_or_no, whole({"approved": "no"})) == {"approved": "must be one of true, false"}


@pytest.mark.parametrize(
    ("of", "kind", "good", "bad"),
    [
        (int, "integer", 5, "5"),
        (float, "number", 5, "5"),
        (float, "number", 5.5, None),
        (bool, "boolean", False, 0),
        (str, "string", "5", 5),
        (int | None, "integer", None, "x"),
        (Colour, "string", "green", "blue"),
        (Literal["yes", "no"], "string", "no", "maybe"),
        (Literal[1, 2], "integer", 2, 3),
        (list[Line], "array", [{"sku": "A", "quantity": 1}], [{"sku": "A"}]),
        (list[int], "array", [1, 2], [1, "2"]),
        (dict[str, int], "object", {"a": 1}, {"a": "1"}),
        (date, "string", "2026-11-30", "30.11.2026"),
        (Annotated[str, Field(pattern="^[A-Z]{2}$")], "string", "DE", "de"),
        (Annotated[int, Field(multiple_of=5)], "integer", 10, 12),
        (Decimal, "any", "12.50", []),
        (int | str, "any", "x", None),
        (Any, "any", {"a": None}, float("inf")),
    ],
)
def test_a_scalar_an_enum_a_list_have_one_field(of: Any, kind: str, good: Any, bad: Any):
    question = typed("How many?", of)
    assert shapes.of(question).NAME == "typed"
    (field,) = choice(question, "answer").fields
    assert (field.name, field.type, field.required) == ("answer", kind, True)
    for submission in (decide("answer", {"answer": good}), whole(good)):
        assert exactly(value(question, submission)) == exactly(good)
    assert refusal(question, whole(bad))
    if bad is not None:
        assert refusal(question, decide("answer", {"answer": bad}))
    assert refusal(question, decide("answer")) == {"answer": "is required"}


def test_one_is_not_one_point_nought_nor_true():
    question = typed("?", float)
    assert [exactly(value(question, whole(sent))) for sent in (1, 1.0)] == [("int", 1), ("float", 1.0)]
    assert refusal(question, whole(True)) == {"answer": "must be a number, not true or false"}
    assert refusal(typed("?", int), whole(True)) == {"answer": "must be a whole number, not true or false"}


def test_null_is_an_answer_where_the_schema_says_so():
    question = typed("Which?", Order | None)
    assert [c.decision for c in form(question).choices] == ["answer", "null"]
    assert value(question, decide("null")) is None
    assert value(question, whole(None)) is None
    assert refusal(typed("Which?", Order), whole(None))


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "strin"},
        {"$ref": "#/$defs/Missing"},
        {"$ref": "https://example.net/schema.json"},
        {"properties": 5},
        {"type": "string", "pattern": "("},
        [],
        "object",
    ],
)
def test_a_schema_that_can_not_be_read_leaves_the_question_answerable(schema: Any):
    question = pending({"title": "Go?"}, schema)
    assert shapes.of(question).NAME == "plain"
    assert value(question, whole("go")) == "go"


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"$ref": "#/$defs/Tree", "$defs": {"Tree": {"properties": {"left": {"$ref": "#/$defs/Tree"}}}}},
        {"$ref": "#/$defs/A", "$defs": {"A": {"$ref": "#/$defs/A"}}},
        {"type": ["string", "null"]},
        {"oneOf": []},
        {"not": {}},
    ],
)
def test_odd_schemas_have_a_form(schema: Any):
    question = pending("?", schema)
    assert form(question).choices
    assert shapes.of(question).describe(question).title == "?"


def test_the_extension_editable_closes_a_field():
    schema = {
        "type": "object",
        "properties": {"order": {"type": "integer", "editable": False}, "note": {"type": "string"}},
        "required": ["order"],
    }
    question: Pending = pending({"order": 7}, schema)
    order, note = choice(question, "answer").fields
    assert (order.editable, order.value, note.editable) == (False, 7, True)
    assert value(question, decide("answer", {"note": "x"})) == {"order": 7, "note": "x"}
    # Closed with nothing in it, nobody could ever answer.
    assert choice(pending({}, schema), "answer").fields[0].editable

"""LangChain's middleware, batched and per call: decisions in its shape, for the tool that was called and no other."""

from typing import Any, cast

import pytest
from langchain.agents.middleware import human_in_the_loop
from langchain_core.tools import BaseTool, tool
from pydantic import TypeAdapter

from stationmaster.reviews import shapes
from stationmaster.reviews.model import Pending, Submission
from tests.stationmaster.reviews.shapes.asking import (
    choice,
    decide,
    edits,
    exactly,
    form,
    pending,
    refusal,
    value,
    whole,
)

EVERY = ["approve", "edit", "reject", "respond"]
ARGS = {"to": "bob", "amount_usd": 12.5}
BOILERPLATE = "Tool execution requires approval\n\nTool: pay\nArgs: {'to': 'bob', 'amount_usd': 12.5}"


@tool
def pay(to: str, amount_usd: float, note: str | None = None) -> str:
    """Pay an amount."""
    return f"{to} {amount_usd} {note}"


def per_call(allowed: list[str], args: dict[str, Any] = ARGS) -> Pending:
    """As the installed middleware asks in `per_call` mode."""
    made = human_in_the_loop._decision_schema(cast("Any", allowed), "pay", cast("BaseTool", pay))  # pyright: ignore[reportPrivateUsage]
    request = {
        "type": "tool_approval",
        "tool_call_id": "call_1",
        "name": "pay",
        "args": args,
        "description": BOILERPLATE,
    }
    return pending(request, TypeAdapter(made).json_schema())


def batched(*calls: tuple[str, dict[str, Any], list[str]]) -> Pending:
    """As it asks in `batched` mode."""
    requests = [{"name": name, "args": args, "description": "Really?"} for name, args, _ in calls]
    configs = [{"action_name": name, "allowed_decisions": allowed} for name, _, allowed in calls]
    return pending({"action_requests": requests, "review_configs": configs})


ONE = batched(("pay", ARGS, EVERY))
TWO = batched(("pay", ARGS, EVERY), ("mail", {"text": "hi"}, ["approve", "reject"]))
THREE = batched(("pay", ARGS, EVERY), ("mail", {"text": "hi"}, ["approve"]), ("ask", {}, ["respond"]))
PER_CALL = per_call(EVERY)

DECISIONS = [
    (decide("approve"), {"type": "approve"}),
    (decide("reject", reason="too much"), {"type": "reject", "message": "too much"}),
    (decide("respond", {"message": "paid by card"}), {"type": "respond", "message": "paid by card"}),
    (
        decide("edit", {"to": "bob", "amount_usd": 10}),
        {"type": "edit", "edited_action": {"name": "pay", "args": {"to": "bob", "amount_usd": 10}}},
    ),
    (
        whole({"amount_usd": 10.0}, "edit"),
        {"type": "edit", "edited_action": {"name": "pay", "args": {"to": "bob", "amount_usd": 10.0}}},
    ),
]


def test_each_mode_is_a_shape():
    assert [shapes.of(question).NAME for question in (ONE, THREE, PER_CALL)] == [
        "hitl_batch",
        "hitl_batch",
        "hitl_call",
    ]


@pytest.mark.parametrize(("submission", "decision"), DECISIONS)
def test_one_decision_for_one_call(submission: Submission, decision: Any):
    assert exactly(value(PER_CALL, submission)) == exactly(decision)
    assert exactly(value(ONE, submission)) == exactly({"decisions": [decision]})
    assert exactly(value(PER_CALL, whole(decision))) == exactly(decision)
    assert exactly(value(ONE, whole({"decisions": [decision]}))) == exactly({"decisions": [decision]})


@pytest.mark.parametrize(
    "allowed", [EVERY, ["approve", "reject"], ["respond"], ["edit"], ["reject", "approve"]]
)
def test_only_what_is_allowed_is_offered(allowed: list[str]):
    for question in (per_call(allowed), batched(("pay", ARGS, allowed))):
        offered = [choice.decision for choice in form(question).choices]
        assert sorted(offered) == sorted(allowed)
        for other in {*EVERY} - {*allowed}:
            assert "decision" in refusal(question, decide(other, reason="why"))
            assert "type" in refusal(per_call(allowed), whole({"type": other}))


def test_destructive_is_never_primary_and_the_first_positive_is():
    for question in (ONE, TWO, THREE, PER_CALL, per_call(["respond"]), per_call(["reject"])):
        marks = [(choice.primary, choice.destructive) for choice in form(question).choices]
        assert (True, True) not in marks
        assert sum(primary for primary, _ in marks) <= 1


def test_a_call_by_its_own_schema_has_its_optional_argument_and_its_defaults():
    fields = {field.name: field for field in choice(PER_CALL, "edit").fields}
    assert [(f.name, f.type, f.required, f.value) for f in fields.values()] == [
        ("to", "string", True, "bob"),
        ("amount_usd", "number", True, 12.5),
        ("note", "string", False, None),
    ]
    everything = {"to": "bob", "amount_usd": 9, "note": None}
    assert value(PER_CALL, decide("edit", everything))["edited_action"]["args"] == {
        "to": "bob",
        "amount_usd": 9,
    }
    changed = value(PER_CALL, decide("edit", {**everything, "note": "n"}))["edited_action"]["args"]
    assert changed == {"to": "bob", "amount_usd": 9, "note": "n"}


@pytest.mark.parametrize("question", [ONE, PER_CALL])
@pytest.mark.parametrize(
    ("submission", "names"),
    [
        (decide("edit", {"amount_usd": "10"}), {"amount_usd"}),
        (decide("edit", {"amount_usd": True}), {"amount_usd"}),
        (decide("edit", {"to": 5, "amount_usd": "10"}), {"to", "amount_usd"}),
        (decide("edit", ARGS), {""}),
        (decide("edit"), {""}),
        (decide("edit", {"amount_usd": float("nan")}), {"amount_usd"}),
        (decide("edit", {"amount_usd": 2**64}), {"amount_usd"}),
        (decide("edit", {"name": "rm"}), {"name"}),
        (decide("reject"), {"reason"}),
        (decide("reject", reason="  "), {"reason"}),
        (decide("respond"), {"message"}),
        (decide("respond", {"message": ""}), {"message"}),
        (decide("accept"), {"decision"}),
    ],
)
def test_refusals_name_the_field(question: Pending, submission: Submission, names: set[str]):
    assert refusal(question, submission).keys() == names


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ({"type": "edit", "edited_action": {"name": "rm", "args": {}}}, "edited_action.name"),
        ({"type": "edit", "edited_action": {"name": "pay"}}, "edited_action"),
        ({"type": "edit", "edited_action": {"name": "pay", "args": []}}, "args"),
        ({"type": "edit"}, "edited_action"),
        ({"type": "approve", "message": "x"}, "message"),
        ({"type": "respond"}, "message"),
        ({"type": "reject", "message": 5}, "message"),
        ({"type": ["approve"]}, "type"),
        ({}, "type"),
        ("approve", "type"),
        (None, "type"),
    ],
)
def test_a_whole_decision_is_checked_too(raw: Any, name: str):
    assert refusal(PER_CALL, whole(raw)).keys() == {name}
    assert refusal(ONE, whole({"decisions": [raw]})).keys() == {f"decisions.0.{name}"}


def test_the_answer_can_not_say_another_decision_than_the_one_that_was_made():
    assert "type" in refusal(PER_CALL, whole({"type": "reject"}, "approve"))
    assert "decision" in refusal(
        TWO, whole({"decisions": [{"type": "approve"}, {"type": "reject"}]}, "approve")
    )
    assert "decisions" in refusal(ONE, whole([{"type": "approve"}]))


def test_several_calls_are_approved_or_rejected_together_where_all_allow_it():
    assert [choice.decision for choice in form(TWO).choices] == ["approve", "each", "reject"]
    assert [choice.decision for choice in form(THREE).choices] == ["each"]
    assert value(TWO, decide("approve")) == {"decisions": [{"type": "approve"}] * 2}
    assert value(TWO, decide("reject", reason="no")) == {
        "decisions": [{"type": "reject", "message": "no"}] * 2
    }


def test_each_call_has_its_own_decision_in_their_order():
    submission = decide(
        "each",
        {
            "0.decision": "edit",
            "0.args.amount_usd": 10,
            "0.args.to": "bob",
            "1.decision": "approve",
            "2.message": "Because.",
        },
    )
    assert exactly(value(THREE, submission)) == exactly(
        {
            "decisions": [
                {"type": "edit", "edited_action": {"name": "pay", "args": {"to": "bob", "amount_usd": 10}}},
                {"type": "approve"},
                {"type": "respond", "message": "Because."},
            ]
        }
    )
    assert edits(THREE, submission) == {"0.args.amount_usd": {"before": 12.5, "after": 10}}


@pytest.mark.parametrize(
    ("fields", "names"),
    [
        ({}, {"0.decision"}),
        ({"0.decision": "nope", "1.decision": "approve"}, {"0.decision", "2.message"}),
        ({"0.decision": "approve", "0.args.amount_usd": 1, "2.message": "x"}, {"0.args.amount_usd"}),
        ({"0.decision": "edit", "0.args.amount_usd": "1", "2.message": "x"}, {"0.args.amount_usd"}),
        ({"0.decision": "reject", "2.message": "x"}, {"0.message"}),
        ({"0.decision": "approve", "1.decision": "reject", "2.message": "x"}, {"1.decision"}),
        ({"3.decision": "approve", "0.decision": "approve"}, {"3.decision"}),
    ],
)
def test_what_is_wrong_with_one_of_several_says_which(fields: dict[str, Any], names: set[str]):
    assert refusal(THREE, decide("each", fields)).keys() == names


def test_the_number_of_decisions_has_to_be_right():
    assert "decisions" in refusal(TWO, whole({"decisions": [{"type": "approve"}]}))
    assert "decisions" in refusal(TWO, whole({"decisions": [{"type": "approve"}] * 2, "more": 1}))


def test_titles_and_amounts():
    one, two, each = (shapes.of(question).describe(question) for question in (PER_CALL, TWO, ONE))
    assert (one.title, one.body, one.amount_usd) == ('pay(to="bob", amount_usd=12.5)', None, 12.5)
    assert two.title == "2 calls: pay, mail"
    assert [action.name for action in two.actions] == ["pay", "mail"]
    assert each.title == "pay: Really?"
    sums = batched(("pay", {"amount_usd": 600}, EVERY), ("pay", {"amount_usd": 500.5}, EVERY))
    assert shapes.of(sums).describe(sums).amount_usd == 1100.5


def test_one_config_for_each_tool_is_found_by_its_name():
    question = pending(
        {
            "action_requests": [
                {"name": "a", "args": {}},
                {"name": "b", "args": {}},
                {"name": "a", "args": {}},
            ],
            "review_configs": [
                {"action_name": "b", "allowed_decisions": ["approve"]},
                {"action_name": "a", "allowed_decisions": ["respond"]},
            ],
        }
    )
    enums = {f.name: f.schema["enum"] for f in choice(question, "each").fields if f.name.endswith("decision")}
    assert enums == {"0.decision": ["respond"], "1.decision": ["approve"], "2.decision": ["respond"]}


def test_the_schema_that_older_versions_sent_is_used():
    question = pending(
        {
            "action_requests": [{"name": "pay", "args": {"amount_usd": 5}}],
            "review_configs": [
                {
                    "action_name": "pay",
                    "allowed_decisions": ["edit"],
                    "args_schema": {
                        "type": "object",
                        "properties": {"amount_usd": {"type": "number", "maximum": 9}},
                    },
                }
            ],
        }
    )
    assert refusal(question, decide("edit", {"amount_usd": 10})) == {"amount_usd": "must be at most 9"}


@pytest.mark.parametrize(
    "malformed",
    [
        {"action_requests": [], "review_configs": []},
        {"action_requests": [{"name": "x"}], "review_configs": []},
        {"action_requests": [{"name": "x", "args": []}], "review_configs": []},
        {"action_requests": {"name": "x", "args": {}}, "review_configs": [{}]},
        {"action_requests": [{"name": "x", "args": {}}], "review_configs": ["x"]},
        {"type": "tool_approval", "tool_call_id": "1", "name": "x", "args": {}},
    ],
)
def test_what_only_looks_like_it_is_plain(malformed: Any):
    assert shapes.of(pending(malformed)).NAME == "plain"


def test_a_call_with_another_schema_is_typed():
    question = pending(PER_CALL.value, {"type": "boolean"})
    assert shapes.of(question).NAME == "typed"
    assert value(question, decide("answer", {"answer": True})) is True

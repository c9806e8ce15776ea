"""Agent Inbox: what its configuration offers, and the list of one response that the graph reads."""

from typing import Any

import pytest

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

ALL = {"allow_ignore": True, "allow_respond": True, "allow_edit": True, "allow_accept": True}
ARGS = {
    "to": "rosa@example.net",
    "amount_usd": 12.5,
    "copies": 1,
    "urgent": False,
    "tags": ["a"],
    "note": None,
}


def request(config: dict[str, Any] | None = None, args: Any = ARGS, **more: Any) -> dict[str, Any]:
    return {"action_request": {"action": "send_mail", "args": args}, "config": config or ALL, **more}


LISTED = pending([request(description="# Send the mail?\n\nIt is the second one.")])


@pytest.mark.parametrize("question", [pending(request()), LISTED])
def test_a_request_and_a_list_of_one_are_the_same_shape(question: Pending):
    assert shapes.of(question).NAME == "agent_inbox"
    assert [choice.decision for choice in form(question).choices] == ["approve", "edit", "respond", "ignore"]


@pytest.mark.parametrize(
    ("submission", "response"),
    [
        (decide("approve"), {"type": "accept", "args": None}),
        (decide("ignore"), {"type": "ignore", "args": None}),
        (decide("respond", {"message": "Ask her first"}), {"type": "response", "args": "Ask her first"}),
        (decide("respond", reason="Ask her first"), {"type": "response", "args": "Ask her first"}),
        (
            decide("edit", {"copies": 2}),
            {"type": "edit", "args": {"action": "send_mail", "args": {**ARGS, "copies": 2}}},
        ),
        (
            decide("edit", {**ARGS, "urgent": True, "note": "now"}),
            {
                "type": "edit",
                "args": {"action": "send_mail", "args": {**ARGS, "urgent": True, "note": "now"}},
            },
        ),
        (
            whole({"to": "x"}, "edit"),
            {"type": "edit", "args": {"action": "send_mail", "args": {**ARGS, "to": "x"}}},
        ),
        (whole([{"type": "accept", "args": None}]), {"type": "accept", "args": None}),
        (whole({"type": "response", "args": "no"}), {"type": "response", "args": "no"}),
    ],
)
def test_answers_are_a_list_of_one_response(submission: Submission, response: Any):
    assert exactly(value(LISTED, submission)) == exactly([response])


@pytest.mark.parametrize(
    ("submission", "problems"),
    [
        (
            decide("reject"),
            {"decision": "`reject` is not offered here; choose approve, edit, respond, ignore"},
        ),
        (decide("edit", {"copies": "2"}), {"copies": "must be a number, as it was, not text"}),
        (decide("edit", {"urgent": 1}), {"urgent": "must be true or false, as it was, not a number"}),
        (
            decide("edit", {"copies": 1}),
            {"": "nothing was changed: approve it as it is, or change something"},
        ),
        (
            decide("edit", {"unknown": 1}),
            {
                "unknown": "is not a field of `edit`; it has to, amount_usd, copies, urgent, tags, note",
            },
        ),
        (decide("approve", {"to": "x"}), {"to": "is not a field of `approve`, which has none"}),
        (decide("respond", {"message": "  "}), {"message": "must be a text that is not empty"}),
        (
            whole([{"type": "edit", "args": {"action": "drop_table", "args": {}}}]),
            {"args": "must be {action, args} with the action send_mail"},
        ),
        (whole({"type": "ignore", "args": None}, "approve"), {"decision": "is not offered"}),
        (whole([]), {"type": "must be one of accept, edit, response, ignore"}),
    ],
)
def test_what_does_not_fit_is_said_field_by_field(submission: Submission, problems: dict[str, str]):
    if submission.has_raw and submission.decision == "approve":
        problems = dict.fromkeys(("type", "args"), "is not a field of `approve`, which has none")
    found = refusal(LISTED, submission)
    assert found.keys() == problems.keys()
    assert all(found[name].startswith(text) for name, text in problems.items())


@pytest.mark.parametrize(
    ("flag", "decision"),
    [
        ("allow_accept", "approve"),
        ("allow_edit", "edit"),
        ("allow_respond", "respond"),
        ("allow_ignore", "ignore"),
    ],
)
def test_only_what_the_configuration_allows_is_offered(flag: str, decision: str):
    question = pending(request({**dict.fromkeys(ALL, False), flag: True}))
    (only,) = form(question).choices
    assert (only.decision, only.primary) == (decision, decision != "ignore")
    for other in {"approve", "edit", "respond", "ignore"} - {decision}:
        assert "decision" in refusal(question, decide(other))


def test_the_form_keeps_the_types_of_the_arguments():
    types = {field.name: (field.type, field.value) for field in choice(LISTED, "edit").fields}
    assert types == {
        "to": ("string", ARGS["to"]),
        "amount_usd": ("number", 12.5),
        "copies": ("number", 1),
        "urgent": ("boolean", False),
        "tags": ("array", ["a"]),
        "note": ("any", None),
    }


def test_a_float_that_a_browser_made_an_integer_is_still_the_float():
    question = pending(request(args={"amount": 640.0, "days": 3}))
    answer = value(question, decide("edit", {"amount": 640, "days": 4}))
    assert exactly(answer[0]["args"]["args"]) == exactly({"amount": 640.0, "days": 4})


def test_before_and_after_are_kept():
    assert edits(LISTED, decide("edit", {"copies": 2, "note": "x", "to": ARGS["to"]})) == {
        "copies": {"before": 1, "after": 2},
        "note": {"before": None, "after": "x"},
    }
    assert edits(LISTED, decide("approve")) is None


@pytest.mark.parametrize("args", [{}, "a text", None, 5, ["a"]])
def test_arguments_that_are_no_object_are_edited_whole(args: Any):
    question = pending(request(args=args))
    (field,) = choice(question, "edit").fields
    assert (field.name, field.value) == ("args", args)
    assert shapes.of(question).describe(question).title.startswith("send_mail")


def test_the_description_is_the_title_and_the_text():
    said = shapes.of(LISTED).describe(LISTED)
    assert said.title == "send_mail: Send the mail?"
    assert said.body == "# Send the mail?\n\nIt is the second one."
    assert said.amount_usd == 12.5


@pytest.mark.parametrize(
    "malformed",
    [
        {"action_request": None, "config": ALL},
        {"action_request": {"action": 5, "args": {}}, "config": ALL},
        {"action_request": {"action": "x"}, "config": ALL},
        {"action_request": {"action": "x", "args": {}}, "config": []},
        {"action_request": {"action": "x", "args": {}}, "config": {"allow_accept": "yes"}},
        {"action_request": {"action": "x", "args": {}}, "config": dict.fromkeys(ALL, False)},
        [],
        [[]],
    ],
)
def test_what_only_looks_like_it_is_plain_and_answerable(malformed: Any):
    question = pending(malformed)
    assert shapes.of(question).NAME == "plain"
    assert value(question, whole({"ok": True})) == {"ok": True}

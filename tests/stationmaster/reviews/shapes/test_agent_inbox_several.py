"""Agent Inbox with several requests in one interrupt: all are shown, and a list of as many responses goes back."""

from typing import Any

import pytest

from stationmaster.console.pages.form import ways
from stationmaster.reviews import shapes
from stationmaster.reviews.model import Submission
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
from tests.stationmaster.reviews.shapes.test_agent_inbox import ALL, request

REFUND = request(args={"order": "88123", "amount_usd": 640.0}, description="Pay it back?")
MAIL = request({**ALL, "allow_ignore": False}, args={"to": "rosa@example.net", "copies": 1})
TALK = request({"allow_respond": True}, args="What shall I say?")
BOTH, THREE = pending([REFUND, MAIL]), pending([REFUND, MAIL, TALK])


def test_all_of_them_are_described():
    said = shapes.of(THREE).describe(THREE)
    assert said.title == "3 calls: send_mail (3 times)"
    assert [action.args for action in said.actions] == [
        REFUND["action_request"]["args"], MAIL["action_request"]["args"], "What shall I say?",
    ]  # fmt: skip
    assert said.amount_usd == 640.0
    assert shapes.of(pending([REFUND, REFUND])).describe(pending([REFUND, REFUND])).amount_usd == 1280.0


def test_labels_say_which_request_and_what_of_it():
    labels = [field.label for field in choice(THREE, "each").fields]
    assert labels[:4] == [
        "1. send_mail: decision", "1. send_mail: order", "1. send_mail: amount USD", "1. send_mail: answer",
    ]  # fmt: skip
    assert choice(THREE, "each").fields[-1].required  # nothing else can be done about it


def test_what_is_offered_is_what_all_of_them_allow():
    assert [made.decision for made in form(BOTH).choices] == ["approve", "each"]
    assert [made.decision for made in form(THREE).choices] == ["each"]
    assert [made.decision for made in form(pending([REFUND, REFUND])).choices] == [
        "approve",
        "each",
        "ignore",
    ]
    assert form(THREE).choices[0].primary and form(BOTH).choices[0].primary
    names = [field.name for field in choice(THREE, "each").fields]
    assert names == [
        "0.decision", "0.args.order", "0.args.amount_usd", "0.message",
        "1.decision", "1.args.to", "1.args.copies", "1.message",
        "2.decision", "2.message",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("submission", "responses"),
    [
        (decide("approve"), [{"type": "accept", "args": None}] * 2),
        (
            decide("each", {"0.decision": "ignore", "1.decision": "respond", "1.message": "Not to her"}),
            [{"type": "ignore", "args": None}, {"type": "response", "args": "Not to her"}],
        ),
        (
            decide("each", {"0.decision": "edit", "0.args.amount_usd": 600, "1.decision": "approve"}),
            [
                {
                    "type": "edit",
                    "args": {"action": "send_mail", "args": {"order": "88123", "amount_usd": 600}},
                },
                {"type": "accept", "args": None},
            ],
        ),
        (
            whole([{"type": "accept", "args": None}, {"type": "response", "args": "no"}]),
            [{"type": "accept", "args": None}, {"type": "response", "args": "no"}],
        ),
        (whole([{"type": "accept", "args": None}] * 2, "approve"), [{"type": "accept", "args": None}] * 2),
    ],
)
def test_as_many_responses_as_requests_in_their_order(submission: Submission, responses: Any):
    assert exactly(value(BOTH, submission)) == exactly(responses)


@pytest.mark.parametrize(
    ("submission", "problems"),
    [
        (decide("each", {"0.decision": "approve"}), {"1.decision": "is required"}),
        (decide("ignore"), {"decision": "`ignore` is not offered here; choose approve, each"}),
        (
            decide("each", {"0.decision": "approve", "0.args.order": "1", "1.decision": "ignore"}),
            {
                "0.args.order": "was changed; choose edit, not approve",
                "1.decision": "must be one of approve, edit, respond",
            },
        ),
        (
            decide("each", {"0.decision": "edit", "0.args.amount_usd": "6", "1.decision": "respond"}),
            {
                "0.args.amount_usd": "must be a number, as it was, not text",
                "1.message": "must be a text that is not empty",
            },
        ),
        (whole([{"type": "accept", "args": None}]), {"": "must be a list of 2 responses"}),
        (whole({"type": "accept", "args": None}), {"": "must be a list of 2 responses"}),
        (
            whole([{"type": "accept", "args": None}, {"type": "ignore", "args": None}]),
            {"1.type": "must be one of accept, edit, response"},
        ),
        (
            whole([{"type": "accept", "args": None}, {"type": "response", "args": "x"}], "approve"),
            {"1": "says something else than `approve`"},
        ),
        (whole([{"type": "accept", "args": None}] * 2, "reject"), {"decision": "is not offered here"}),
    ],
)
def test_what_does_not_fit_is_said_request_by_request(submission: Submission, problems: dict[str, str]):
    found = refusal(BOTH, submission)
    assert found.keys() == problems.keys()
    assert all(found[name].startswith(text) for name, text in problems.items())


def test_before_and_after_are_kept_by_request():
    given = decide("each", {"0.decision": "edit", "0.args.amount_usd": 600, "1.decision": "approve"})
    assert edits(BOTH, given) == {"0.args.amount_usd": {"before": 640.0, "after": 600}}
    assert edits(BOTH, decide("approve")) is None


def test_the_page_draws_all_of_them():
    drawn = ways(form(THREE))
    assert drawn.main is not None
    assert [field.group for field in drawn.main.fields] == ["0"] * 4 + ["1"] * 4 + ["2"] * 2


def test_a_list_in_which_one_is_no_request_is_answered_as_json():
    question = pending([REFUND, {"note": "and this"}])
    assert shapes.of(question).NAME == "plain"
    assert value(question, whole([{"type": "accept", "args": None}, "yes"])) == [
        {"type": "accept", "args": None}, "yes",
    ]  # fmt: skip

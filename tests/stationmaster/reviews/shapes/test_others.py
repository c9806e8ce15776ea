"""Plain values, breakpoints, NodeInterrupt, and the amount that a question is about."""

import math
import sys
from typing import Any

import pytest

from stationmaster.reviews import shapes
from stationmaster.reviews.model import Pending, Resume, Submission
from stationmaster.reviews.shapes.amounts import amount_of
from stationmaster.reviews.shapes.breakpoint import title_of
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

EVERY_KIND = [
    None,
    True,
    False,
    0,
    1,
    1.0,
    -2.5,
    "",
    "1",
    "text",
    [],
    [1, 1.0, "1", None],
    {},
    {"a": {"b": None}},
]


@pytest.mark.parametrize("asked", EVERY_KIND)
@pytest.mark.parametrize("given", EVERY_KIND)
def test_plain_takes_any_json_as_it_is(asked: Any, given: Any):
    question = pending(asked)
    assert shapes.of(question).NAME == "plain"
    assert exactly(value(question, whole(given))) == exactly(given)
    assert exactly(value(question, decide("answer", {"answer": given}))) == exactly(given)


def test_plain_tells_nothing_from_null():
    assert refusal(pending("?"), decide("answer")) == {"answer": "is required"}
    assert "decision" in refusal(pending("?"), decide("approve"))
    assert "decision" in refusal(pending("?"), whole(True, "approve"))


def test_plain_keeps_what_an_answer_says_otherwise_than_its_question():
    question = pending({"title": "Refund?", "amount_usd": 640.0, "to": "bob"})
    assert edits(question, whole({"ok": True, "amount_usd": 600, "to": "bob"})) == {
        "amount_usd": {"before": 640.0, "after": 600}
    }
    assert edits(question, whole({"ok": True})) is None
    assert edits(question, whole("yes")) is None
    assert edits(pending("Refund?"), whole({"amount_usd": 5})) == {"amount_usd": {"after": 5}}


def test_plain_names_the_options_of_the_question_and_takes_others():
    question = pending({"question": "Which?", "options": ["a", "b"]})
    (field,) = choice(question, "answer").fields
    assert field.schema["examples"] == ["a", "b"]
    assert value(question, whole("c")) == "c"


@pytest.mark.parametrize(
    ("payload", "title"),
    [
        ({"title": "T", "question": "Q"}, "T"),
        ({"question": "Q?", "description": "D"}, "Q?"),
        ({"description": "# D\nmore"}, "D"),
        ({"action": "send"}, "send"),
        ({"title": "", "question": 5, "note": "n"}, '{"title": "", "question": 5, "note": "n"}'),
        ("line one\nline two", "line one"),
        ("", '""'),
        (" \n ", '" \\n "'),
        (None, "null"),
        (1.0, "1.0"),
        ([1, "a"], '[1, "a"]'),
        ("a\x00b\u202ec\td", "abc d"),
        ("x" * 500, "x" * 199 + "…"),
    ],
)
def test_titles(payload: Any, title: str):
    assert shapes.of(pending(payload)).describe(pending(payload)).title == title


def test_the_text_and_the_evidence():
    said = shapes.of(pending({})).describe(
        pending(
            {
                "title": "Go?",
                "body": "a\n\x00\u202eb",
                "amount": 5,
                "kind": "x",
                "none": None,
                "order": {"id": 1},
            }
        )
    )
    assert (said.body, said.amount_usd, said.evidence) == ("a\nb", 5.0, ("amount", "order"))


@pytest.mark.parametrize(
    ("payload", "amount"),
    [
        ({"amount_usd": 640.0}, 640.0),
        ({"amount_usd": 0}, 0.0),
        ({"amount": 5, "amount_usd": 7}, 7.0),
        ({"args": {"amount_usd": 3}}, 3.0),
        ({"amount_usd": None, "args": {"amount": 3}}, 3.0),
        ({"amount_usd": "1,234.50"}, 1234.5),
        ({"amount_usd": "$640"}, 640.0),
        ({"amount_usd": "much"}, None),
        ({"amount_usd": "1.234,50"}, None),
        ({"amount_usd": True}, None),
        ({"amount_usd": float("nan")}, None),
        ({"amount_usd": float("inf")}, sys.float_info.max),
        ({"amount_usd": 10**400}, sys.float_info.max),
        ({"amount_usd": -(10**400)}, -sys.float_info.max),
        ({"amount_usd": {"value": 5}}, None),
        ({}, None),
        ([5], None),
    ],
)
def test_the_amount(payload: Any, amount: float | None):
    assert amount_of(payload) == amount


STOPPED = pending(
    {
        "next": ["send"],
        "values": {
            "text": "hi",
            "count": 1,
            "price": 2.0,
            "meta": {"a": 1},
            "messages": [{"id": "1"}],
            "none": None,
        },
    },
    kind="breakpoint",
    node="send",
)


def resume(question: Pending, submission: Submission) -> Resume:
    return shapes.of(question).answer(question, submission)


@pytest.mark.parametrize(
    ("submission", "expected"),
    [
        (decide("continue"), Resume("continue")),
        (decide("approve"), Resume("continue")),
        (whole({}), Resume("continue")),
        (whole(None, "continue"), Resume("continue")),
        (decide("edit", {"text": "ho", "count": 1}), Resume("continue", state_update={"text": "ho"})),
        (decide("edit", {"none": [1]}), Resume("continue", state_update={"none": [1]})),
        (whole({"messages": []}, "edit"), Resume("continue", state_update={"messages": []})),
        (whole({"state_update": {"new": 1}}), Resume("continue", state_update={"new": 1})),
        (
            decide("send_back", {"as_node": "read", "state_update": {"feedback": "shorter"}}),
            Resume("update_state", as_node="read", state_update={"feedback": "shorter"}),
        ),
        (
            whole({"as_node": "read", "state_update": {"feedback": "x"}}),
            Resume("update_state", as_node="read", state_update={"feedback": "x"}),
        ),
    ],
)
def test_a_breakpoint_goes_on_or_back(submission: Submission, expected: Resume):
    assert resume(STOPPED, submission) == expected


@pytest.mark.parametrize(
    ("submission", "names"),
    [
        (decide("edit", {"text": 5}), {"text"}),
        (decide("edit", {"text": "hi"}), {"state_update"}),
        (decide("edit", {"messages": []}), {"messages"}),
        (decide("edit", {"count": True}), {"count"}),
        (decide("send_back", {"as_node": " ", "state_update": {"a": 1}}), {"as_node"}),
        (decide("send_back", {"as_node": "read"}), {"state_update"}),
        (decide("send_back", {"as_node": "read", "state_update": {}}), {"state_update"}),
        (whole({"anything": 1}), {""}),
        (whole({"state_update": {"a": 1}}, "continue"), {""}),
        (whole({"messages": float("inf")}, "edit"), {"state_update.messages"}),
        (decide("reject"), {"decision"}),
    ],
)
def test_what_a_breakpoint_refuses(submission: Submission, names: set[str]):
    assert refusal(STOPPED, submission).keys() == names


def test_a_breakpoint_says_where_it_waits_and_what_was_changed():
    said = shapes.of(STOPPED).describe(STOPPED)
    assert said.title == "Waits before send: continue?"
    assert edits(STOPPED, decide("edit", {"text": "ho"})) == {"text": {"before": "hi", "after": "ho"}}
    assert edits(STOPPED, decide("continue")) is None
    fields = {field.name: field.type for field in choice(STOPPED, "edit").fields}
    assert fields == {"text": "string", "count": "number", "price": "number", "meta": "object", "none": "any"}


ASKING = {
    "title": "Run this statement? It changes 3 rows.", "text": "Orders of **May**.",
    "details": {"sql": "update a\nset b = 1", "rows": 3, "none": " "}, "before": ["send"],
}  # fmt: skip


def stopped(**values: Any) -> Pending:
    return pending({"next": ["send"], "values": values}, kind="breakpoint", node="send")


def test_a_graph_says_in_its_state_what_its_breakpoint_asks():
    question = stopped(asks=ASKING, text="hi")
    said = shapes.of(question).describe(question)
    assert said.title == ASKING["title"]
    assert said.body == "Orders of **May**.\n\n**sql:**\n\n```\nupdate a\nset b = 1\n```\n\n**rows:** `3`"
    assert [field.name for field in choice(question, "edit").fields] == ["text"]


@pytest.mark.parametrize(
    "asks",
    [
        None,
        "do it?",
        {},
        {"title": " "},
        {"title": 5},
        {"text": "do it?"},
        {"title": "Read?", "before": ["read"]},
    ],
)
def test_what_says_nothing_or_is_left_from_another_breakpoint_is_no_title(asks: Any):
    question = stopped(asks=asks)
    assert shapes.of(question).describe(question).title == "Waits before send: continue?"


@pytest.mark.parametrize("odd", [{"title": "t", "details": [1]}, {"title": "t", "text": 5, "before": "send"}])
def test_odd_words_of_a_graph_are_read_as_far_as_they_go(odd: Any):
    question = stopped(asks=odd)
    said = shapes.of(question).describe(question)
    assert (said.title, said.body) == ("t", None)


def test_what_the_thread_began_with_stands_beside_the_question_and_in_no_title():
    said_by = (("ai", "hm"), ("human", "I am Maria"), ("human", "x"))
    talk = [{"type": who, "content": what} for who, what in said_by]
    question = stopped(messages=talk)
    said = shapes.of(question).describe(question)
    assert (said.title, said.body) == ("Waits before send: continue?", "I am Maria")


def test_who_waits_and_what_its_nodes_do_is_told():
    title = title_of(stopped(), "mailer", {"send": "mails the customer", "read": "reads"})
    assert title == "mailer waits before send (mails the customer): continue?"


@pytest.mark.parametrize("odd", [None, [], {"next": None}, {"next": "send", "values": []}, {"values": 5}])
def test_a_breakpoint_of_any_state_can_be_continued(odd: Any):
    question = pending(odd, kind="breakpoint", node=None)
    assert shapes.of(question).describe(question).title
    assert resume(question, decide("continue")) == Resume("continue")
    assert resume(question, whole({"state_update": {"a": 1}})).state_update == {"a": 1}


RAISED = pending("500 is more than 100", kind="node_interrupt", node="check")


@pytest.mark.parametrize(
    ("submission", "expected"),
    [
        (
            decide("edit", {"state_update": {"approved": True}}),
            Resume("update_state", state_update={"approved": True}),
        ),
        (whole({"approved": True}, "edit"), Resume("update_state", state_update={"approved": True})),
        (decide("skip"), Resume("update_state", as_node="check", state_update={})),
        (
            decide("skip", {"state_update": {"a": 1}}),
            Resume("update_state", as_node="check", state_update={"a": 1}),
        ),
        (whole({"a": 1}, "skip"), Resume("update_state", as_node="check", state_update={"a": 1})),
        (
            whole({"state_update": {}, "skip": True}),
            Resume("update_state", as_node="check", state_update={}),
        ),
        (whole({"state_update": {"a": 1}}), Resume("update_state", state_update={"a": 1})),
    ],
)
def test_a_node_interrupt_is_settled_by_state(submission: Submission, expected: Resume):
    assert resume(RAISED, submission) == expected


@pytest.mark.parametrize(
    ("submission", "names"),
    [
        (decide("edit"), {"state_update"}),
        (decide("edit", {"state_update": {}}), {"state_update"}),
        (decide("edit", {"state_update": "approved"}), {"state_update"}),
        (whole(True), {""}),
        (whole({"state_update": {"a": 1}, "skip": "yes"}), {"skip"}),
        (whole({"state_update": {"a": 1}}, "skip"), {"decision"}),
        (decide("approve"), {"decision"}),
    ],
)
def test_what_a_node_interrupt_refuses(submission: Submission, names: set[str]):
    assert refusal(RAISED, submission).keys() == names
    assert shapes.of(RAISED).describe(RAISED).title == "check stopped: 500 is more than 100"


def test_a_node_that_is_not_known_can_not_be_skipped():
    question = pending("?", kind="node_interrupt", node=None)
    assert [c.decision for c in form(question).choices] == ["edit"]
    assert refusal(question, whole({"state_update": {}, "skip": True})).keys() == {"skip"}


def test_an_amount_is_always_finite():
    assert all(math.isfinite(amount_of({"amount_usd": n}) or 0) for n in (10**5000, -math.inf, 1e308))

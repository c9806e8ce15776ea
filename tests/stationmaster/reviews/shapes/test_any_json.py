"""Whatever the payload is, it has exactly one shape, a title, a form, and can be answered."""

import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stationmaster.reviews import shapes
from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.model import Pending
from stationmaster.reviews.shapes import sendable, text
from tests.stationmaster.reviews.shapes.asking import decide, pending, refusal, value, whole

KEYS = st.one_of(
    st.sampled_from(
        [
            "action_request", "action_requests", "review_configs", "config", "args", "action", "name", "type",
            "tool_call_id", "allowed_decisions", "action_name", "description", "title", "amount_usd", "next",
            "values", "options", "allow_accept", "allow_edit", "args_schema", "properties", "$ref", "anyOf", "oneOf",
            "const", "enum", "required", "default", "discriminator", "$defs", "items", "0" * 32,
        ]
    ),
    st.text(),
)  # fmt: skip
WORDS = st.sampled_from(
    ["tool_approval", "approve", "edit", "reject", "object", "string", "#", "#/$defs/x", "null"]
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(min_value=2**62, max_value=2**80),
    st.floats(),
    st.text(alphabet=st.characters()),
    WORDS,
)
JSON = st.recursive(
    SCALARS,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(KEYS, inner, max_size=6)),
    max_leaves=25,
)
KINDS = st.sampled_from(["interrupt", "interrupt", "interrupt", "breakpoint", "node_interrupt"])
REQUEST = st.fixed_dictionaries({"name": st.text(), "args": st.dictionaries(st.text(), JSON, max_size=3)})
NEARLY = st.one_of(
    st.fixed_dictionaries(
        {
            "action_requests": st.lists(REQUEST, min_size=1, max_size=3),
            "review_configs": st.lists(st.dictionaries(KEYS, JSON, max_size=3), max_size=3),
        }
    ),
    st.fixed_dictionaries(
        {
            "action_request": st.fixed_dictionaries({"action": st.text(), "args": JSON}),
            "config": st.dictionaries(
                st.sampled_from(["allow_accept", "allow_edit", "allow_respond", "allow_ignore"]),
                st.booleans(),
                min_size=1,
            ),
            "description": JSON,
        }
    ),
)


def holds(question: Pending) -> None:
    """The promises to whoever lists and answers."""
    shape = shapes.of(question)
    said, form = shape.describe(question), shape.form(question)
    assert said.title and "\n" not in said.title and len(said.title) <= 200
    assert form.choices
    assert len({choice.decision for choice in form.choices}) == len(form.choices)
    for choice in form.choices:
        assert not (choice.primary and choice.destructive)
        assert len({field.name for field in choice.fields}) == len(choice.fields)
        try:  # an empty submission is an answer or a refusal, never another error
            resume = shape.answer(question, decide(choice.decision, reason="because"))
            shape.edits(question, decide(choice.decision, reason="because"))
            sendable.require_sendable(resume.value)
        except AnswerRefused as refused:
            said = refused.fields
        else:
            said = {"": "taken"}
        assert said
    assert shapes.named(shape.NAME) is shape


@settings(max_examples=120)
@given(value=st.one_of(JSON, NEARLY), schema=st.one_of(st.none(), st.none(), JSON), kind=KINDS)
def test_any_value_with_any_schema(value: Any, schema: Any, kind: Any):
    holds(pending(value, schema, kind=kind))


@settings(max_examples=80)
@given(
    question=st.one_of(JSON, NEARLY),
    raw=JSON,
    decision=st.sampled_from(["answer", "approve", "edit", "each"]),
)
def test_any_answer_is_taken_as_it_is_or_refused(question: Any, raw: Any, decision: str):
    asked = pending(question)
    try:
        made = shapes.of(asked).validate(asked, whole(raw, decision))
    except AnswerRefused as refused:
        made, said = None, refused.fields
    else:
        said = {"": "taken"}
    assert said
    sendable.require_sendable(made)


def nested(levels: int, kind: type) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value] if kind is list else {"a": value}
    return value


@pytest.mark.parametrize("kind", [list, dict])
@pytest.mark.parametrize(
    "wrap", [lambda v: v, lambda v: {"title": v}, lambda v: {"args": v, "amount_usd": v}]
)
def test_ten_thousand_levels(kind: type, wrap: Any):
    question = pending(wrap(nested(10_000, kind)))
    holds(question)
    assert value(question, whole({"ok": True})) == {"ok": True}


def test_ten_thousand_levels_inside_the_known_shapes():
    deep = nested(10_000, dict)
    inbox = {"action_request": {"action": "x", "args": {"deep": deep}}, "config": {"allow_edit": True}}
    batch = {
        "action_requests": [{"name": "x", "args": {"deep": deep}}],
        "review_configs": [{"action_name": "x", "allowed_decisions": ["approve", "edit"]}],
    }
    for payload, name in ((inbox, "agent_inbox"), ([inbox], "agent_inbox"), (batch, "hitl_batch")):
        question = pending(payload)
        assert name == shapes.of(question).NAME
        holds(question)
    holds(pending({"next": ["x"], "values": deep}, kind="breakpoint"))
    holds(pending(deep, kind="node_interrupt"))
    holds(pending(deep, {"type": "object"}))
    assert shapes.of(pending("?", deep)).NAME in ("plain", "typed")


def test_an_answer_that_is_nested_too_deep_is_refused_in_words():
    for schema in (None, {"type": "object"}, {"type": "object", "additionalProperties": {"$ref": "#"}}):
        (problem,) = refusal(pending("?", schema), whole(nested(10_000, dict))).values()
        assert "nested" in problem


def test_five_megabytes_are_listed_at_once():
    big = {"title": "t", "body": "x\u202e" * 2_500_000, "rows": [{"n": n} for n in range(100_000)]}
    started = time.process_time()
    for payload in (big, "y" * 5_000_000, ["z" * 1000] * 5_000, {str(n): n for n in range(300_000)}):
        holds(pending(payload))
    assert time.process_time() - started < 5
    said = shapes.of(pending(big)).describe(pending(big))
    assert said.body is not None and len(said.body) < 21_000 and "5,000,000 characters" in said.body


def test_definitions_that_name_each_other_many_times_are_drawn_at_once():
    many = {f"p{n}": {"$ref": "#/$defs/Node"} for n in range(30)}
    schema = {"$ref": "#/$defs/Node", "$defs": {"Node": {"type": "object", "properties": many}}}
    question = pending("?", schema)
    started = time.process_time()
    holds(question)
    assert shapes.of(question).NAME == "typed"
    assert time.process_time() - started < 10  # without a bound it would not end


def test_keys_that_look_like_ids_of_interrupts_are_an_answer_like_any_other():
    answer = {"a" * 32: 1, "0123456789abcdef" * 2: {"b" * 32: None}}
    question = pending(answer)
    assert value(question, whole(answer)) == answer


@pytest.mark.parametrize("odd", [float("nan"), float("inf"), -float("inf"), 2**64, -(2**63) - 1, "\ud800"])
def test_what_json_or_the_server_would_change_is_refused_with_its_place(odd: Any):
    question = pending({"odd": odd})
    holds(question)
    assert refusal(question, whole({"list": [0, odd]})).keys() == {"list.1"}
    assert refusal(question, decide("answer", {"answer": odd})).keys() == {"answer"}


@pytest.mark.parametrize(
    "fine", [2**64 - 1, -(2**63), "\x00", "\u202e", 5e-324, -0.0, "\U0001f468\u200d\U0001f469"]
)
def test_what_the_server_carries_is_taken(fine: Any):
    assert value(pending("?"), whole([fine])) == [fine]


def test_a_recogniser_that_fails_hides_nothing(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    def fails(_: Pending) -> bool:
        raise RuntimeError("a bug")

    for shape in shapes.ORDER[:-1]:
        monkeypatch.setattr(shape, "recognise", fails)
    assert shapes.of(pending("?")).NAME == "plain"
    assert "a bug" in caplog.text


def test_no_name_is_used_twice():
    names = [shape.NAME for shape in shapes.ORDER]
    assert sorted(names) == sorted(set(names))
    assert shapes.named("gone").NAME == "plain"


@settings(max_examples=80)
@given(JSON)
def test_short_json_is_one_line_without_what_can_not_be_seen(value: Any):
    line = text.short_json(value, 50)
    assert line and len(line) <= 50
    assert line.isprintable() or "\u200c" in line or "\u200d" in line or not line.isascii()
    assert not any(c in line for c in "\x00\n\r\u202e\u2028")

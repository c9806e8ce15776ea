"""Form text keeps the type of what it stands for."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stationmaster.console.pages.typed import OMITTED, NotThatType, as_sent, text_of, value_of
from stationmaster.reviews.model import Field

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def kind_of(value: Any) -> str:
    names = {str: "string", bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}
    return names.get(type(value), "any")


@given(JSON)
def test_untouched_stays_exactly(value: Any):
    """Whatever the proposal holds, a form that was not touched sends it back as it was, or leaves it out."""
    field = Field("f", "F", kind_of(value), value=value)
    kept = value_of(field, text_of(field))
    assert kept is OMITTED if value is None else json.dumps(kept) == json.dumps(value)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("number", "42", 42), ("number", "42.0", 42.0), ("number", "-1e3", -1000.0), ("integer", " 7 ", 7),
        ("integer", "12345678901234567890123", 12345678901234567890123), ("boolean", "false", False),
        ("array", "[1, 1.0]", [1, 1.0]), ("object", '{"a": null}', {"a": None}), ("string", "42", "42"),
        ("any", "42", 42), ("any", '"42"', "42"), ("any", "null", None),
    ],
)  # fmt: skip
def test_typed(kind: str, text: str, value: Any):
    got = value_of(Field("f", "F", kind), text)
    assert json.dumps(got) == json.dumps(value) and type(got) is type(value)


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("number", "4,2"), ("number", "NaN"), ("number", "1e999"), ("number", "٣"), ("number", "01"),
        ("integer", "1.5"), ("integer", "1e2"), ("array", "{}"), ("object", "[]"), ("boolean", "1"),
        ("any", "yes"), ("any", "NaN"),
        ("object", '{"a": '), ("array", "[" * 100_000), ("integer", "9" * 10_000),
    ],
)  # fmt: skip
def test_refused_with_a_reason(kind: str, text: str):
    with pytest.raises(NotThatType, match=r"\w{3,}"):
        value_of(Field("f", "F", kind), text)


def test_empty_is_left_out_or_asked_for():
    assert value_of(Field("f", "F", "number"), " ") is OMITTED
    assert value_of(Field("f", "F", "string"), "") is OMITTED
    assert value_of(Field("f", "F", "string", value="was"), "") == ""
    assert value_of(Field("f", "F", "string", required=True), "") == ""
    with pytest.raises(NotThatType):
        value_of(Field("f", "F", "number", required=True), "")


def test_a_closed_list_gives_its_own_value():
    field = Field("f", "F", "integer", {"enum": [1, 2, "3"]}, required=True)
    assert value_of(field, "2") == 2 and value_of(field, "3") == "3"
    with pytest.raises(NotThatType):
        value_of(field, "4")


def test_text_as_text():
    field = Field("f", "F", "any")
    assert value_of(field, "42", as_text=True) == "42"
    assert value_of(field, "line\r\nend", as_text=True) == "line\nend"


def test_what_no_page_can_carry():
    assert as_sent("a\r\nb\rc\x00\ud800") == "a\nb\nc�?"
    field = Field("f", "F", "string", value="odd \x00 \ud800 \r\n")
    assert value_of(field, text_of(field)) == field.value

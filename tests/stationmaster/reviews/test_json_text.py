"""JSON text as the standard library writes and reads it, at any depth."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stationmaster.reviews import json_text
from stationmaster.reviews.model import as_shown, canonical, digest_of

scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=30
)


def nested(levels: int, kind: type, bottom: Any = 1.0) -> Any:
    value = bottom
    for _ in range(levels):
        value = [value, 2] if kind is list else {"b": value, "a": None}
    return value


def depth_of(value: Any) -> int:
    depth = 0
    while isinstance(value, list | dict) and value:
        value, depth = (value[0] if isinstance(value, list) else value["b"]), depth + 1
    return depth


@given(values, st.booleans(), st.booleans(), st.booleans(), st.sampled_from([None, 2]))
def test_our_own_text_is_the_librarys(
    value: Any, sort_keys: bool, compact: bool, ensure_ascii: bool, indent: int | None
) -> None:
    compact = compact and indent is None
    separators = (",", ":") if compact else None
    style = json_text.Writer(sort_keys, compact, ensure_ascii, indent, None)
    assert "".join(style.pieces(value)) == json.dumps(
        value, sort_keys=sort_keys, separators=separators, ensure_ascii=ensure_ascii, indent=indent
    )


@given(values, st.sampled_from([None, 1]))
def test_our_own_reading_is_the_librarys(value: Any, indent: int | None) -> None:
    text = json.dumps(value, indent=indent)
    made = json_text.Reader(f" {text}\n", dict).value()
    assert json.dumps(made) == json.dumps(json.loads(text))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "[1",
        "[1,",
        "[1,]",
        "{",
        '{"a"',
        '{"a":',
        '{"a":1',
        '{"a":1,}',
        "{1:2}",
        "[1}",
        "1 2",
        "nul",
        "]",
    ],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        json_text.Reader(text, dict).value()


@pytest.mark.parametrize("kind", [list, dict])
@pytest.mark.parametrize("levels", [900, 1_100, pytest.param(20_000, marks=pytest.mark.slow)])
def test_there_is_no_depth_that_is_too_deep(levels: int, kind: type) -> None:
    value = nested(levels, kind)
    for text in (as_shown(value), canonical(value), json_text.write(value, indent=2)):
        assert depth_of(json_text.read(text)) == levels
        assert levels < 20_000 or len(text) < levels * 300
    assert as_shown(json_text.read(as_shown(value))) == as_shown(value)
    assert digest_of(value, None) == digest_of(json_text.read(as_shown(value)), None)
    assert digest_of(value, None) != digest_of(nested(levels, kind, 1), None)


def test_how_deep_a_value_may_be_does_not_depend_on_who_writes_it() -> None:
    """What the library still manages has the same digest as what only we do."""
    value = nested(300, dict)
    style = json_text.Writer(sort_keys=True, compact=True, ensure_ascii=True, indent=None, default=None)
    assert "".join(style.pieces(value)) == canonical(value)

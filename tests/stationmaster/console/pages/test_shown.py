"""Any JSON value finds a form that people can read, and none breaks the page."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stationmaster.console.pages import markdown
from stationmaster.console.pages.diffing import sides
from stationmaster.console.pages.render import environment
from stationmaster.console.pages.shown import label, shown
from tests.stationmaster.console.pages.questions import EVIL
from tests.stationmaster.console.pages.test_typed import JSON


def drawn(value: Any) -> str:
    macros = environment().from_string("{% import '_shown.html' as s %}{{ s.value(shown) }}")
    return macros.render(shown=shown(value))


@given(JSON)
def test_anything_can_be_drawn(value: Any):
    assert isinstance(drawn(value), str)


@pytest.mark.parametrize(
    "value",
    [
        EVIL, {EVIL: EVIL}, [EVIL], [{"a": EVIL}, {"a": 1}], [[[[[[EVIL]]]]]],
        [
            {"type": "human", "content": EVIL},
            {"role": "assistant", "content": [{"text": EVIL}], "tool_calls": [{"name": EVIL, "args": {EVIL: EVIL}}]},
        ],
        {f"k{i}": EVIL for i in range(100)},
    ],
)  # fmt: skip
def test_nothing_of_it_is_html(value: Any):
    html = drawn(value)
    assert "<script" not in html and "<img" not in html and "&lt;script" in html


def test_kinds():
    assert shown({"a": 1}).kind == "pairs"
    assert shown([{"a": 1, "b": "x"}, {"a": 2}]).kind == "table"
    assert shown([{"type": "ai", "content": "hi"}]).kind == "messages"
    assert shown(["a", 1]).kind == "list"
    assert shown(list(range(1_000))).kind == "json"
    assert (
        shown({"a": {"b": {"c": {"d": {"e": 1}}}}})
        .items[0]
        .shown.items[0]
        .shown.items[0]
        .shown.items[0]
        .shown.kind
        == "json"
    )
    assert shown("x" * 5_000).rest and shown(True).text == "yes" and shown(12.5, "paid_usd").text == "$12.50"


def test_huge_is_cut():
    assert len(drawn({"rows": [{"n": i, "text": "x" * 50} for i in range(50_000)]})) < 40_000
    assert len(drawn("x" * 3_000_000)) < 40_000


def test_labels():
    assert label("amount_usd") == "Amount (USD)" and label("order_id") == "Order id" and label("") == ""


def test_markdown_is_safe():
    html = str(
        markdown.render(
            f"# Title\n{EVIL}\n[a](javascript:alert(1)) [b](https://shop.example/x) ![i](https://e.example/i.png)"
        )
    )
    assert (
        "<script" not in html
        and "<img" not in html
        and "javascript:" not in html.replace("[a](javascript:alert(1))", "")
    )
    assert '<a href="https://shop.example/x" rel="noopener noreferrer nofollow" target="_blank">b</a>' in html
    assert "<h3>Title</h3>" in html


@given(st.text(), st.text())
def test_both_sides_of_a_diff_give_the_texts_back(before: str, after: str):
    left, right = sides(before, after)
    assert "".join(text for _, text in left) == before and "".join(text for _, text in right) == after
    assert (before == after) == (not any(differs for differs, _ in (*left, *right)))


def test_code_is_drawn_by_its_columns_and_files_keep_their_names():
    html = drawn({"code": "def f():\n    return 1", "files": {"test_it.py": "x = 1\ny = 2"}, "said": "a\nb"})
    assert html.count('class="text mono"') == 2 and html.count('class="text"') == 1
    assert ">test_it.py</dt>" in html and drawn({"sql": "select 1"}).count("scalar mono") == 1
    assert [label(key) for key in ("amount_usd", "send_back", "a_b. c")] == [
        "Amount (USD)",
        "Send back",
        "A b. c",
    ]

"""Exceptions: a comment with a reason, at the line or above it; without one, or for nothing, it is a finding."""

from pathlib import Path

import pytest

from stationmaster.checking.audit import Report
from tests.stationmaster.checking.test_projects import report

CALL = 'httpx.post("https://example.com/notes")'
SPLIT = 'httpx.post(\n        "https://example.com/notes",\n    )'
NOTHING = "it allows effect-before-pause, and nothing here would be found"
NODE = """
def node(state):
    {line}
    return {{"done": interrupt("pay?")}}

graph = line(node)
"""


def of(directory: Path, line: str) -> Report:
    return report(directory, NODE.format(line=line), "graph")


@pytest.mark.parametrize(
    "line",
    [
        f"{CALL}  # check: allow effect-before-pause: it is keyed by the thread",
        f"# check: allow effect-before-pause: it is keyed by the thread\n    {CALL}",
        f"# check: allow effect-before-pause: it is keyed\n    # by the thread\n    {CALL}",
        f"#check: allow effect-before-pause it is keyed by the thread\n    {CALL}",
        f"{SPLIT}  # check: allow effect-before-pause: it is keyed by the thread",
    ],
)
def test_a_reason_excuses(tmp_path: Path, line: str) -> None:
    found = of(tmp_path, line)
    assert found.findings == []
    assert [each.excused for each in found.excused] == ["it is keyed by the thread"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (f"{CALL}  # check: allow effect-before-pause", "it allows effect-before-pause and gives no reason"),
        (f"{CALL}  # check: allow effect-before-pause:   ", "it allows effect-before-pause and gives no reason"),
        (f"{CALL}  # check: allow: because", "it allows nothing, which is no rule"),
        (f"{CALL}  # check: allow everything: because", "it allows everything, which is no rule"),
        (f"{CALL}  # check: allow many-keys: there are many", "it allows many-keys, and nothing here would be found"),
        (f"# check: allow effect-before-pause: far above\n\n    {CALL}", NOTHING),
    ],
)  # fmt: skip
def test_other_comments_are_findings_and_excuse_nothing(tmp_path: Path, line: str, said: str) -> None:
    found = of(tmp_path, line)
    assert sorted(each.rule for each in found.findings) == ["effect-before-pause", "exception"]
    assert next(each.said for each in found.findings if each.rule == "exception") == said
    assert found.excused == []


def test_one_that_excuses_nothing_any_more(tmp_path: Path) -> None:
    found = of(tmp_path, "print('mended')  # check: allow effect-before-pause: it is keyed by the thread")
    assert [each.said for each in found.findings] == [NOTHING]


def test_a_text_that_looks_like_a_comment_is_none(tmp_path: Path) -> None:
    assert of(tmp_path, "print('# check: allow everything')").findings == []

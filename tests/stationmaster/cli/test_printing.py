"""What commands print fits a terminal of 80 columns: facts of `up` and `status`, lists, and lists without anything."""

import io
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.text import Text

from stationmaster.cli import crons_shown, db_shown, printing, reviews_shown
from stationmaster.cli.assistants_shown import print_list as print_assistants
from stationmaster.cli.banner import print_notes, print_rows, traces
from stationmaster.settings import load_settings

LINK = f"http://127.0.0.1:2025/sign-in/link/sml_{'x' * 60}"
GRAPHS = "support, helpdesk, digest, sql_operator, treasury, document_review, research, travel, coder"


def lines_of(draw: Callable[..., None], *arguments: Any, width: int = 80) -> list[str]:
    out = io.StringIO()
    draw(Console(file=out, width=width), *arguments)
    return out.getvalue().splitlines()


def test_what_is_long_goes_on_below_its_beginning() -> None:
    lines = lines_of(print_rows, {"url": "http://127.0.0.1:2024", "graphs": GRAPHS})
    assert lines == [
        "  url       http://127.0.0.1:2024",
        "  graphs    support, helpdesk, digest, sql_operator, treasury, document_review,",
        "            research, travel, coder",
    ]
    assert max(map(len, lines_of(print_notes, [GRAPHS * 4]))) <= 80


@pytest.mark.parametrize("width", [20, 80])
def test_a_link_is_never_broken(width: int) -> None:
    assert LINK in lines_of(print_rows, {"sign in": f"{LINK} (works once)"}, width=width)[0]


def test_markup_in_a_value_is_text() -> None:
    assert lines_of(print_rows, {"note": "[bold]x[/bold]", "": ""}) == ["  note      [bold]x[/bold]", ""]


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ({}, None),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://me:secret@collector:4318/key"}, "spans to collector:4318"),
        (
            {"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://c.example/v1", "STATIONMASTER_TRACE_CONTENT": "true"},
            "spans to c.example:443, with prompts and answers",
        ),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"}, None),
        ({"LANGSMITH_TRACING": "true"}, "LangSmith, project default"),
        (
            {
                "LANGSMITH_TRACING": "true", "LANGSMITH_PROJECT": "desk", "LANGSMITH_ENDPOINT": "https://ls.example/api",
                "OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318",
            },
            "spans to c:4318; LangSmith at ls.example, project desk",
        ),
    ],
)  # fmt: skip
def test_where_traces_go_is_told_without_what_an_address_hides(
    environment: dict[str, str], said: str | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert traces(load_settings()) == said


@pytest.mark.parametrize(
    "empty",
    [
        lambda console: reviews_shown.print_list(console, [], 50),
        lambda console: reviews_shown.print_stuck(console, []),
        lambda console: crons_shown.print_list(console, []),
        lambda console: print_assistants(console, [], {}),
        lambda console: printing.none(console, "`stationmaster users add NAME` makes one"),
    ],
)
def test_a_list_without_anything_says_none_and_why(empty: Callable[[Console], None]) -> None:
    (line,) = lines_of(empty)
    assert line.startswith("none: ") and len(line) > 20 and not line.endswith(".")


def test_drift_tells_what_was_found_in_words() -> None:
    """And leaves out what never was."""
    row = {"n": 3, "last_thread": "t" * 36, "last_at": datetime.now(UTC).isoformat()}
    never = {"n": 0, "last_thread": None, "last_at": None}
    found: dict[str, Any] = {"lag_s": 0.0, "last_sweep_at": None}
    lines = lines_of(reviews_shown.print_drift, {**found, "counters": {"returned": row, "missed": never}})
    assert "answered, then forgotten by the server" in lines[1] and "no webhook" not in "".join(lines)
    assert max(map(len, lines)) <= 80
    lines = lines_of(reviews_shown.print_drift, {**found, "counters": {"missed": never}})
    assert lines[0] == "none: the sweep has found nothing that was not known"


def test_ids_are_not_broken_and_texts_fold() -> None:
    made = printing.table("id", "n", "text", right=("n",), whole=("id",))
    made.add_row("x" * 36, "1", Text("a long story " * 9))
    lines = lines_of(Console.print, made)
    assert lines[1].startswith("x" * 36) and len(lines) > 3 and max(map(len, lines)) <= 80


def test_what_a_prune_would_do_fits() -> None:
    would = {"deleted": 10_000, "trimmed": 200, "exported": 30, "bytes": 123_456_789, "spared": 4}
    assert max(map(len, lines_of(printing.say, db_shown.plan(would, 30)))) <= 80

"""A review in a terminal of 80 columns: what is asked in labelled lines, and commands that can be pasted."""

import io
from datetime import UTC, datetime
from typing import Any

from rich.console import Console

from stationmaster.cli.payload_shown import MAX_LINES, payload_shown
from stationmaster.cli.reviews_shown import print_list, print_review

NOW = datetime.now(UTC).isoformat()
UNSET = (
    "assistant_version", "first_answer", "first_by", "due_at", "decided_by", "decided_at", "reason", "run_status",
    "error", "note", "replaced_by", "returned_from", "body", "claimed_by", "decision", "delivery_error", "gave_up_at",
)  # fmt: skip


def review(**changes: Any) -> dict[str, Any]:
    """A refund that waits, as the console's API tells it."""
    fields = [
        {"name": "amount_usd", "value": 640.0, "editable": True},
        {"name": "reply", "value": "Hello, it is refunded. " * 9, "editable": True},
    ]
    form = [{"decision": name, "fields": fields if name == "edit" else []} for name in ("approve", "edit")]
    payload = {
        "kind": "refund_approval", "title": "Refund $640.00?", "amount_usd": 640.0, "customer": {"name": "Maria"},
        "draft": "Hello Maria,\nit is refunded.", "items": [{"name": "Pump", "price_usd": 540.0, "quantity": 1}],
    }  # fmt: skip
    return {
        **dict.fromkeys(UNSET), "id": "12345678-0000", "title": "Refund $640.00?", "state": "open", "phase": "open",
        "graph": "support", "assistant": "support", "assistant_id": "a", "thread_id": "t",
        "opened_at": NOW, "groups": ["support"],
        "risk": "high", "amount_usd": 640.0, "two_person": False, "needs_person": False, "comments": [],
        "shape": "typed", "history": [], "payload": payload, "form": form, **changes,
    }  # fmt: skip


def lines_of(draw: Any, *arguments: Any) -> list[str]:
    out = io.StringIO()
    draw(Console(file=out, width=80), *arguments)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def test_what_is_asked_stands_in_labelled_lines_and_not_as_json() -> None:
    lines = lines_of(print_review, review())
    assert "  amount: $640.00" in lines
    assert lines[lines.index("  customer:") + 1] == "    name: Maria"
    assert lines[lines.index("  draft:") + 1 : lines.index("  draft:") + 3] == [
        "    Hello Maria,",
        "    it is refunded.",
    ]
    assert "    - name Pump, price $540.00, quantity 1" in lines
    assert not any("{" in line and "--edit" not in line for line in lines)


def test_files_keep_their_names_and_code_its_empty_lines() -> None:
    lines = lines_of(Console.print, payload_shown({"files": {"test_it.py": "import it\n\n\nit.go()"}}))
    assert lines == ["files:", "  test_it.py:", "    import it", "", "", "    it.go()"]


def test_the_ways_to_answer_can_be_pasted() -> None:
    lines = lines_of(print_review, review())
    assert "  stationmaster reviews decide 12345678 --approve" in lines
    assert """  stationmaster reviews decide 12345678 --edit '{"amount_usd": 640.0}'""" in lines
    assert "  --edit may change amount_usd, reply" in lines


def test_a_state_is_a_word_in_the_list() -> None:
    shown = lines_of(print_list, [review(state="answered_elsewhere", phase="closed")], 9)
    assert shown[-1].endswith(" elsewhere")


def test_what_is_long_deep_or_drawn_for_a_terminal_stays_in_its_lines() -> None:
    deep: Any = 1
    for _ in range(2_000):
        deep = {"a": [deep]}
    shown = lines_of(
        lambda console: console.print(
            payload_shown({"deep": deep, "rows": list(range(200)), "x\x1b": "\x1b[2J"})
        )
    )
    assert len(shown) < MAX_LINES + 40 and "\x1b" not in "".join(shown)
    assert shown[-1].endswith("lines more: --json shows all")


def test_what_came_of_the_answer_is_told() -> None:
    result = {
        "messages": [{"content": "Hello Maria, it is done."}],
        "changed": {"outcome": "refunded", "x": [1]},
    }
    lines = lines_of(print_review, review(state="finished", decided_by="ann", answer=1, result=result))
    assert lines[lines.index("What was said then") + 1] == "  Hello Maria, it is done."
    assert lines[lines.index("What came of it") + 1] == "  outcome: refunded"
    assert "What came of it" not in lines_of(print_review, review())

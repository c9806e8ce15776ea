"""The structure of the graph: its breakpoint, its limits, its effects, and where routers lead."""

from typing import Any, cast

import pytest

from agents.shared.resilience import RETRY
from agents.sql_operator import graph as desk
from agents.sql_operator import replies, tools, verdict
from agents.sql_operator.context import MAX_REPAIRS, MAX_REPLANS, RECURSION_LIMIT, Context
from agents.sql_operator.state import Checked, State

GOOD: Checked = {
    "sql": "SELECT 1", "digest": "d", "kind": "read", "tables": [], "rows": None, "planned": True,
}  # fmt: skip
BROKEN = {"node": "check", "error": "no", "sql": ""}


def state(**values: Any) -> State:
    return cast("State", {"sql": "SELECT 1", "generated": "SELECT 1", **values})


def test_it_is_compiled_to_stop_before_execute() -> None:
    """That nothing runs whatever breakpoints a run asks for: test_stops.py."""
    assert desk.graph.interrupt_before_nodes == ["execute"]
    assert not desk.graph.interrupt_after_nodes
    assert (desk.graph.config or {}).get("recursion_limit") == RECURSION_LIMIT


def test_effects_are_declared_and_retried_and_the_model_is_not() -> None:
    effects = {name for name, spec in desk.builder.nodes.items() if (spec.metadata or {}).get("effect")}
    assert effects == {"execute", "dead_letter"}
    retried = {name for name, spec in desk.builder.nodes.items() if spec.retry_policy is RETRY}
    assert retried == {"preview", "execute", "dead_letter"}


def test_every_setting_has_a_help_text() -> None:
    assert all(field.description for field in Context.model_fields.values())


def test_every_way_to_execute_leads_through_preview() -> None:
    edges = {(edge.source, edge.target) for edge in desk.graph.get_graph().edges}
    assert {source for source, target in edges if target == "execute"} == {"preview"}
    assert {target for source, target in edges if source == "execute"} == {
        "generate", "check", "preview", "answer", "dead_letter",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("router", "values", "wanted"),
    [
        (desk.after_intake, {}, "generate"),
        (desk.after_intake, {"outcome": "closed"}, "answer"),
        (desk.after_generate, {}, "check"),
        (desk.after_generate, {"sql": ""}, "answer"),
        (desk.after_generate, {"problem": {**BROKEN, "node": "generate"}}, "generate"),
        (
            desk.after_generate,
            {"problem": {**BROKEN, "node": "generate"}, "attempts": {"repair": MAX_REPAIRS}},
            "answer",
        ),
        (desk.after_generate, {"problem": {**BROKEN, "node": "edit"}}, "check"),
        (desk.after_check, {"checked": GOOD}, "preview"),
        (desk.after_check, {"problem": BROKEN}, "generate"),
        (desk.after_check, {"problem": BROKEN, "attempts": {"repair": MAX_REPAIRS}}, "answer"),
        (desk.after_check, {"problem": {**BROKEN, "node": "edit"}}, "check"),
        (desk.after_preview, {"checked": GOOD}, "execute"),
        (desk.after_preview, {"problem": BROKEN}, "generate"),
        (desk.after_preview, {"failures": [{"node": "preview", "reason": "away"}]}, "dead_letter"),
        (desk.after_preview, {"checked": GOOD, "feedback": "x"}, "generate"),
        (
            desk.after_preview,
            {"checked": GOOD, "feedback": "x", "attempts": {"replan": MAX_REPLANS}},
            "answer",
        ),
        (desk.after_preview, {"checked": GOOD, "reject": "x", "feedback": "y"}, "answer"),
    ],
)
def test_routers(router: Any, values: dict[str, Any], wanted: str) -> None:
    assert router(state(**values)) == wanted


def test_an_edit_is_told_from_what_the_model_wrote() -> None:
    assert not verdict.by_person(state())
    assert verdict.by_person(state(sql="SELECT 2"))
    assert verdict.back(state(sql="SELECT 2"), "check", "no")["sql"] == "SELECT 1"
    assert "sql" not in verdict.back(state(), "check", "no")


def test_values_become_json_and_long_ones_are_cut() -> None:
    from datetime import date, timedelta
    from decimal import Decimal

    assert tools.plain(Decimal("12.50")) == 12.5
    assert tools.plain(Decimal(10**20)) == str(10**20)
    assert tools.plain(date(2026, 1, 2)) == "2026-01-02"
    assert tools.plain(timedelta(days=1)) == "1 day, 0:00:00"
    assert len(tools.plain("x" * 1000)) == tools.LONGEST_CELL


def test_a_cell_can_not_break_the_table() -> None:
    result = {
        "columns": ["a"],
        "rows": [["x|y\nz"], [None], ["<img src=x> [a](javascript:1)"], [-1.5]],
        "row_count": 4,
        "more": False,
        "repeated": False,
    }
    lines = ["| a |", "| --- |", r"| x\|y z |", "|  |", r"| \<img src=x\> \[a\](javascript:1) |", "| -1.5 |"]
    assert replies.table(cast("Any", result)).splitlines() == lines

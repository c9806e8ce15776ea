"""Lab 10: the anti-patterns of a design review, each looked for in our own graphs.

A review by hand is done once, by whoever knows the list, and is out of date with the next commit. So the list is a
command. It finds each pattern in a graph that was written wrong for it; what it says of our own graphs is the table.
Where a pattern is present, the reason stands as a comment beside it: without one, `stationmaster check` fails.
"""

from functools import cache

import pytest

from stationmaster.checking.audit import Report
from stationmaster.server.stock import read_project
from stationmaster.settings import Settings
from tests.fakes.agent_server import ROOT
from tests.labs.figures import Figures
from tests.stationmaster.checking.auditing import audited, graphs_of, report_on

PATTERNS = {
    "a graph for a straight line": "straight-line",
    "state explosion": "many-keys",
    "decision logic in edges": "router-effect",
    "no reducer, or a wrong one": "no-reducer",
    "memory saver in production": "memory-saver",
    "several agents where one would do": "same-agent",
    "no ceiling": "no-ceiling",
    "effects before an interrupt": "effect-before-pause",
    "checkpoints never pruned": "no-retention",
    "a schema change without a plan": "required-key",
}
NOT_PRESENT = {
    "straight-line": "each branches, and most pause or go round",
    "router-effect": "routers read the state, and nothing else",
    "no-reducer": "no two nodes of one super-step write a key without one",
    "memory-saver": "the server keeps threads in Postgres",
    "same-agent": "their prompts, tools or models differ",
    "no-ceiling": "turns, tries, rounds and money are counted, below the recursion limit",
    "effect-before-pause": "gates do nothing but ask; what has an effect stands behind them",
    "no-retention": "30 days, unless a setting says otherwise",
    "required-key": "what may be missing is read with a default",
}
PRESENT = {
    "many-keys": "in some graphs, with the reason beside the state: the record of one request, cleared as a whole",
    "memory-saver": "in benchmarks alone, with the reason: nothing has to last there",
    "no-ceiling": "one cycle, with the reason: it is gone round once",
}
TABLE = Figures("the audit", ("pattern", "rule", "our graphs", "why"), tuple(PATTERNS))


@cache
def of_ours() -> Report:
    return report_on(read_project(ROOT), Settings.model_fields["retention_days"].default)


@pytest.mark.parametrize("rule", [rule for rule in PATTERNS.values() if rule != "no-retention"])
def test_the_pattern_is_found_where_it_is(rule: str) -> None:
    module = rule.replace("-", "_")
    report = audited(module, bad_graphs(module)[0])
    assert rule in {each.rule for each in report.findings}


def bad_graphs(module: str) -> list[str]:
    return [name for name in graphs_of(module) if name.startswith("bad")]


def test_retention_that_is_switched_off_is_found() -> None:
    assert "no-retention" in {
        each.rule for each in audited("straight_line", "bad_line", retention_days=0).findings
    }


@pytest.mark.parametrize("pattern", PATTERNS)
def test_our_graphs(pattern: str) -> None:
    rule, report = PATTERNS[pattern], of_ours()
    assert [
        f"{each.place.file.name}:{each.place.line} {each.said}"
        for each in report.findings
        if each.rule == rule
    ] == []
    present = any(each.rule == rule for each in report.excused)
    TABLE.keep(
        pattern,
        f"`{rule}`",
        "present" if present else "not present",
        (PRESENT if present else NOT_PRESENT)[rule],
    )

"""Every rule on graphs that break it and on their twins that keep it."""

from functools import cache

import pytest

from stationmaster.checking.audit import Report
from stationmaster.checking.finding import Finding
from stationmaster.checking.rules import RULES
from tests.stationmaster.checking.auditing import CHECKED, audited, graphs_of

# `not-loaded` and `no-retention` are about the project: test_projects.py.
OF_GRAPHS = [rule.name for rule in RULES if rule.name not in ("not-loaded", "no-retention")]


@cache
def report(module: str, graph: str) -> Report:
    return audited(module, graph)


def cases(start: str) -> list[tuple[str, str]]:
    return [
        (rule, name)
        for rule in OF_GRAPHS
        for name in graphs_of(rule.replace("-", "_"))
        if name.startswith(start)
    ]


def found(rule: str, graph: str) -> list[Finding]:
    return [each for each in report(rule.replace("-", "_"), graph).findings if each.rule == rule]


@pytest.mark.parametrize(("rule", "graph"), cases("bad"))
def test_a_graph_that_breaks_a_rule_is_found(rule: str, graph: str) -> None:
    assert found(rule, graph)
    for each in found(rule, graph):
        assert each.graph.partition("/")[0] == ("" if rule == "memory-saver" else graph)


@pytest.mark.parametrize(("rule", "graph"), cases("good"))
def test_a_graph_that_keeps_it_is_not(rule: str, graph: str) -> None:
    assert [each.said for each in found(rule, graph)] == []


@pytest.mark.parametrize("rule", OF_GRAPHS)
def test_a_finding_stands_at_a_line_of_the_file_that_has_to_change(rule: str) -> None:
    file = CHECKED / f"{rule.replace('-', '_')}.py"
    lines = file.read_text().splitlines()
    for _, graph in (case for case in cases("bad") if case[0] == rule):
        for each in found(rule, graph):
            assert each.place.file == file
            assert lines[each.place.line - 1].strip()
            assert each.said
            assert each.why
            assert each.write


def test_every_rule_has_bad_graphs_and_all_but_one_have_good_ones() -> None:
    modules = {rule.replace("-", "_") for rule in OF_GRAPHS}
    assert {path.stem for path in CHECKED.glob("*.py")} - {"__init__"} == modules
    for module in modules:
        starts = {name.partition("_")[0] for name in graphs_of(module)}
        assert starts == ({"bad"} if module == "memory_saver" else {"bad", "good"})

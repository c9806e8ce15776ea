"""The audit of a project: its graphs loaded, every rule asked, findings that a comment excuses set apart."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from stationmaster.checking import excuses
from stationmaster.checking.compiled import Graph, with_subgraphs
from stationmaster.checking.finding import Finding, Found, Rule
from stationmaster.checking.loading import Loaded, load
from stationmaster.checking.reading import files
from stationmaster.checking.together import Together, together
from stationmaster.server.stock import Project


@dataclass
class Whole:
    """What rules look at. `notes` is what could not be looked at; `retention_days` is the setting."""

    project: Project
    loaded: list[Loaded]
    retention_days: float
    notes: dict[str, None] = field(default_factory=dict)

    @cached_property
    def roots(self) -> tuple[Path, ...]:
        """Where the project's own files are."""
        return tuple(dict.fromkeys(Path(path) for path in self.project.import_paths))

    @cached_property
    def graphs(self) -> list[Graph]:
        """Every graph that could be loaded, its subgraphs behind it."""
        found: list[Graph] = []
        for each in self.loaded:
            if each.graph is not None:
                found += with_subgraphs(Graph(each.name, each.graph, each.place, self.roots))
        return found

    @cached_property
    def files(self) -> list[files.SourceFile]:
        """The project's files that hold one of the words for which rules look in all files."""
        found: list[files.SourceFile] = []
        for path in files.sources(self.roots):
            text = path.read_text(encoding="utf-8", errors="replace")
            if any(word in text for word in (*MEMORY, excuses.MARK)) and (file := files.read(path)):
                found.append(file)
        return found

    def together(self, graph: Graph) -> Together:
        """Which nodes of a graph can run in one super-step."""
        if id(graph) not in self._together:
            self._together[id(graph)] = together(graph)
        return self._together[id(graph)]

    @cached_property
    def _together(self) -> dict[int, Together]:
        return {}

    def note(self, said: str) -> None:
        """Say once what could not be looked at."""
        self.notes.setdefault(said)


MEMORY = ("MemorySaver",)  # InMemorySaver among them


@dataclass(frozen=True)
class Report:
    """What came of it: findings in order of graph and line, those that are excused, and notes."""

    graphs: list[str]
    findings: list[Finding]
    excused: list[Finding]
    notes: list[str]


def audit(project: Project, retention_days: float) -> tuple[Report, Whole]:
    """Every rule over every graph of a project. Nothing raises for what the project's code does."""
    from stationmaster.checking.rules import RULES

    whole = Whole(project, load(project), retention_days)
    for each in whole.loaded:
        if each.skipped:
            whole.note(f"{each.name} was not looked at: {each.skipped}")
        elif each.graph is not None and not hasattr(each.graph, "builder"):
            whole.note(f"{each.name} is no StateGraph: it was not looked into")
        elif each.graph is not None and not files.is_ours(each.place.file, whole.roots):
            whole.note(f"{each.name} is made outside of the project's directories: its source was not read")
    found = list(_ask(whole, RULES))
    left, excused = excuses.applied(found, whole.files, _names(RULES))
    return Report(
        [each.name for each in whole.loaded], sorted(left, key=_order), excused, list(whole.notes)
    ), whole


def _ask(whole: Whole, rules: tuple[Rule, ...]) -> Iterator[Finding]:
    """Each rule's findings; of several at one place about one graph and with the same words, one."""
    seen: set[tuple[str, str, object, str]] = set()
    for rule in rules:
        for found in _found(rule, whole):
            key = (rule.name, found.graph, found.place, found.said)
            if key not in seen:
                seen.add(key)
                yield found.of(rule)


def _found(rule: Rule, whole: Whole) -> list[Found]:
    """What a rule finds. One that fails over somebody's code hides no other, and says so."""
    try:
        return list(rule.find(whole))
    except Exception as error:  # noqa: BLE001 - whatever code it stumbled over is anybody's
        whole.note(
            f"{rule.name} was not looked for: {type(error).__name__}: {error}: this is a bug of the check"
        )
        return []


def _names(rules: tuple[Rule, ...]) -> frozenset[str]:
    return frozenset(rule.name for rule in rules)


def _order(finding: Finding) -> tuple[str, str, int, str]:
    return finding.graph, str(finding.place.file), finding.place.line, finding.rule

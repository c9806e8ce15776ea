"""What the check says: findings with their place, and notes on what could not be looked at."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from stationmaster.checking.audit import Whole


@dataclass(frozen=True, order=True)
class Place:
    """A line of a file; `last` is where the statement ends, so that a comment may stand behind any of its lines."""

    file: Path
    line: int
    last: int = 0


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong. `write` is what to write instead; `excused` the reason of a comment that allows it."""

    rule: str
    graph: str
    place: Place
    said: str
    why: str
    write: str
    excused: str | None = None


@dataclass(frozen=True)
class Rule:
    """One thing the check looks for. `find` yields a finding for each place, all graphs at hand."""

    name: str
    looks_for: str
    why: str
    write: str
    find: "Callable[[Whole], Iterator[Found]]" = field(repr=False)


@dataclass(frozen=True)
class Found:
    """What a rule yields: where, in which graph, and what stands there; the rest is the rule's own words."""

    graph: str
    place: Place
    said: str
    why: str | None = None
    write: str | None = None

    def of(self, rule: Rule) -> Finding:
        """The finding, in the rule's words where this has none of its own."""
        return Finding(
            rule.name, self.graph, self.place, self.said, self.why or rule.why, self.write or rule.write
        )

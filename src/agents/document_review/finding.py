"""What a rule finds in a page: where, what, how bad, and a masked form that can be shown."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

SEVERITIES = ("none", "low", "medium", "high")
Severity = Literal["low", "medium", "high"]


@dataclass(frozen=True)
class Finding:
    """`start` and `end` count characters in the text of the page; all three are None for what is missing."""

    kind: str
    severity: Severity
    masked: str
    page: int | None = None
    start: int | None = None
    end: int | None = None

    def __str__(self) -> str:
        place = f"page {self.page}, {self.start}-{self.end}: " if self.page else ""
        return f"{place}{self.kind.replace('_', ' ')} {self.masked}"


@dataclass(frozen=True)
class Span:
    """A match in one text, before it is known to which page it belongs."""

    kind: str
    severity: Severity
    start: int
    end: int
    masked: str

    def on(self, page: int) -> Finding:
        return Finding(self.kind, self.severity, self.masked, page, self.start, self.end)


def apart(spans: Iterable[Span]) -> list[Span]:
    """In order of their place, none over another: the one that begins first counts, of two the longer."""
    kept: list[Span] = []
    for span in sorted(spans, key=lambda span: (span.start, -span.end)):
        if not kept or span.start >= kept[-1].end:
            kept.append(span)
    return kept


def masked(text: str, spans: Iterable[Span]) -> str:
    """The text with the masked form in place of each span; the spans are apart."""
    parts: list[str] = []
    at = 0
    for span in spans:
        parts += [text[at : span.start], span.masked]
        at = span.end
    return "".join([*parts, text[at:]])


def worst(severities: Iterable[str]) -> str:
    """The worst of them; "none" of none."""
    return max(severities, key=SEVERITIES.index, default="none")

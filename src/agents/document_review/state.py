"""What the document review remembers: references. Bytes, pages, findings and reports are in tables.

A checkpoint is written after each super-step and holds all of this: it stays under 50 KB for a document of any length.
A new field must be optional and read with a default: threads that were paused by an older version hold no value for it.
"""

import operator
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict

from agents.shared.failures import Failure
from agents.shared.limits import Usage, add_usage
from agents.shared.notes import add_notes
from agents.shared.stops import Asks, Shown

Kind: TypeAlias = Literal["contract", "invoice", "letter", "policy", "technical", "other"]
Label: TypeAlias = Literal["opinion", "personal", "technical", "legal"]
Branch: TypeAlias = Literal["sentiment", "pii", "security", "compliance", "standard_processor"]
Severity: TypeAlias = Literal["none", "low", "medium", "high"]
Outcome: TypeAlias = Literal[
    "reported", "published", "withheld", "stale", "not_found", "empty", "unreadable", "dead_letter"
]


class Document(TypedDict):
    """Which bytes are reviewed: `sha256` is theirs, and the pages' texts are kept under it."""

    document_id: str
    title: str
    media_type: str
    sha256: str
    pages: int
    characters: int


class Section(TypedDict):
    """What one branch came to; its findings are in the table, the worst of them here, masked."""

    status: Literal["done", "failed"]
    summary: str
    counts: dict[str, int]
    severity: Severity
    highlights: list[str]


class Report(TypedDict):
    """Where the report is, and as much of it as fits."""

    key: str
    digest: str
    headline: str
    severity: Severity
    complete: bool
    excerpt: str


def merge_sections(left: dict[str, Section], right: dict[str, Section]) -> dict[str, Section]:
    """One section a branch; a branch that ran again replaces its own."""
    return {**left, **right}


class Input(TypedDict):
    """What a caller sends: the id of a document that is in the table."""

    document_id: str


class State(TypedDict):
    """The whole state; all but `turns` and `usage` belongs to one review and is cleared by `intake`."""

    document_id: str
    turns: NotRequired[int]
    usage: Annotated[Usage, add_usage]

    document: NotRequired[Document | None]
    kind: NotRequired[Kind | None]
    labels: NotRequired[list[Label]]
    sections: Annotated[dict[str, Section], merge_sections]
    report: NotRequired[Report | None]
    severity: NotRequired[Severity | None]
    """Newer than the first release; where it is missing, it is computed from the sections when it is first read."""

    shown: NotRequired[Shown | None]
    """Newer, too: the report that was left for somebody to read, and when."""

    asks: NotRequired[Asks | None]
    """And what the inbox says of the breakpoint."""

    publish: NotRequired[bool]
    """For whoever reads the report: false withholds it."""
    accept_incomplete: NotRequired[bool]
    """The same: publish although a part of the review failed."""
    note: NotRequired[str]
    """The same, newer than the first release: kept with the decision; a default is all it needs."""
    decided_by: NotRequired[str | None]

    failures: Annotated[list[Failure], operator.add]
    degraded: Annotated[list[str], add_notes]
    problem: NotRequired[str | None]
    outcome: NotRequired[Outcome | None]
    remaining_steps: NotRequired[RemainingSteps]


Update: TypeAlias = dict[str, Any]
"""A partial state, as nodes return it; `Overwrite` values bypass a reducer."""

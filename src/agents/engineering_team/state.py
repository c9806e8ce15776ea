"""What the engineering team's graph remembers: some of it per thread, most of it per task.

Keys of the thread (messages, turns, usage) live as long as the conversation; all others belong to one task and are
cleared by `intake`. Every key has one writer in a super-step, or a reducer. A new field must be optional and read with
a default: threads that were paused by an older version hold no value for it.
"""

import operator
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict

from agents.engineering_team.checks.finding import Finding
from agents.engineering_team.ledger import Handoff, Result, append
from agents.shared.failures import Failure
from agents.shared.limits import Usage, add_usage
from agents.shared.notes import add_notes
from agents.shared.sandbox.verdicts import Kind

Outcome: TypeAlias = Literal[
    "delivered",
    "accepted",
    "reviewed",
    "answered",
    "incomplete",
    "unclear",
    "stopped",
    "unavailable",
    "closed",
]
Files: TypeAlias = dict[str, str]
"""The work item: the text of `solution.py` and `test_solution.py`, by name."""


class Source(TypedDict):
    """Something that the researcher found, and where."""

    source: str
    title: str
    excerpt: str


class Research(TypedDict):
    """The researcher's report: an answer, and only what tools have returned as its sources."""

    question: str
    answer: str
    sources: list[Source]


class Build(TypedDict):
    """What the tests said of the very files whose digest is `of`. `log` is cut to a few thousand characters."""

    of: str
    kind: Kind
    summary: str
    passed: int
    total: int
    log: str


class Check(TypedDict):
    """A reviewer's or an auditor's report on the files whose digest is `of`."""

    of: str
    summary: str
    findings: list[Finding]


class Deliverable(TypedDict):
    """What the caller gets at the end: the work, what is known of it, and what is missing."""

    outcome: Outcome
    files: Files
    build: Build | None
    findings: list[Finding]
    research: list[Research]
    done: list[str]
    missing: list[str]
    why: str
    handoffs: int


class Input(TypedDict):
    """What a caller sends: the task in plain words; tests that the code has to pass, and code to begin with, if any."""

    messages: Annotated[list[AnyMessage], add_messages]
    tests: NotRequired[str]
    code: NotRequired[str]


# check: allow many-keys: the record of one task, which `intake` clears as a whole; what an agent alone needs is in the
# state of its subgraph
class State(TypedDict):
    """The whole state. `tests` and `code` are the caller's, for the next task."""

    messages: Annotated[list[AnyMessage], add_messages]
    turns: Annotated[int, operator.add]
    usage: Annotated[Usage, add_usage]
    remaining_steps: RemainingSteps
    tests: NotRequired[str]
    code: NotRequired[str]

    task: NotRequired[str]
    given: NotRequired[Files]
    """The caller's files for this task; its tests are never written over."""
    files: NotRequired[Files]
    research: Annotated[list[Research], operator.add]
    build: NotRequired[Build | None]
    review: NotRequired[Check | None]
    audit: NotRequired[Check | None]
    reviewed: NotRequired[Files]
    """The files as the reviewer saw them last: the next diff begins there."""
    left_out: NotRequired[list[str]]
    """Reports on the code that were left out since quality looked last: nobody here had made them (vouching.py)."""
    handoffs: Annotated[list[Handoff], append]
    results: Annotated[list[Result], append]
    notices: NotRequired[list[str]]
    """What the supervisor is told of its last decision, when that could not be followed."""
    advice: NotRequired[str]
    advised: NotRequired[int]
    advised_at: NotRequired[int]
    """The number of the last hand-off before a person sent the work back."""
    outcome: NotRequired[Outcome | None]
    why: NotRequired[str]
    deliverable: NotRequired[Deliverable | None]
    failures: Annotated[list[Failure], operator.add]
    degraded: Annotated[list[str], add_notes]


Update: TypeAlias = dict[str, Any]
"""A partial state, as nodes return it; `Overwrite` values bypass a reducer."""

"""The words of the review service: what is pending, what was asked, what was answered. Data only, no I/O."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal, TypeAlias, get_args

from stationmaster.reviews import json_text

ReviewState: TypeAlias = Literal[
    "open",
    "decided",
    "sent",
    "consumed",
    "finished",
    "failed",
    "superseded",
    "answered_elsewhere",
    "expired",
    "withdrawn",
]
STATES: frozenset[str] = frozenset(get_args(ReviewState))
OPEN_STATES: frozenset[str] = frozenset({"open"})
UNFINISHED: frozenset[str] = frozenset({"open", "decided", "sent", "consumed"})
CLOSED: frozenset[str] = STATES - UNFINISHED

Kind: TypeAlias = Literal["interrupt", "breakpoint", "node_interrupt"]
Risk: TypeAlias = Literal["low", "normal", "high"]
Phase: TypeAlias = Literal["open", "moving", "closed"]
"""What the list's tabs are made of; computed in SQL from the state (moving: decided, sent, consumed)."""

POLICY_ACTOR = "policy:expiry"
"""Who decided when a default was taken at expiry. No user's name may hold a colon."""


def canonical(value: Any) -> str:
    """JSON text with sorted keys and no spaces, ASCII: NUL and lone surrogates are escaped, so Postgres takes it."""
    return json_text.write(value, sort_keys=True, compact=True)


def as_shown(value: Any) -> str:
    """JSON text as it is kept: key order as it came, integers and floats as they were."""
    return json_text.write(value)


def digest_of(value: Any, response_schema: Mapping[str, Any] | None) -> str:
    """What was shown, as one hash: sha256 over the canonical JSON of the value and its schema."""
    text = canonical({"value": value, "response_schema": response_schema})
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class Pending:
    """One question that a thread waits with, as its state shows it; what shapes work on.

    `interrupt_id` is the server's, or "checkpoint:<checkpoint_id>" for a breakpoint and
    "checkpoint:<checkpoint_id>:<node>" for a NodeInterrupt. `value` is JSON; of a breakpoint it is
    {"next": [node, ...], "values": {the state}}. `namespace` is "" at the top level.
    """

    thread_id: str
    interrupt_id: str
    value: Any
    response_schema: dict[str, Any] | None = None
    node: str | None = None
    namespace: str = ""
    checkpoint_id: str = ""
    kind: Kind = "interrupt"
    debug: bool = False
    error: str | None = None
    """What its node raised when it last ran: an answer that the graph refused, or a failure behind the answer."""
    nodes: tuple[str, ...] = ()
    """The nodes that an answer may be written as; empty where nobody knows them."""

    @property
    def digest(self) -> str:
        return digest_of(self.value, self.response_schema)


@dataclass(frozen=True)
class Task:
    """One task of a checkpoint: `interrupts` as the server gives them ({id, value, response_schema?})."""

    task_id: str
    name: str
    interrupts: tuple[dict[str, Any], ...] = ()
    error: str | None = None
    state: "Checkpoint | None" = None
    has_result: bool = False


@dataclass(frozen=True)
class Checkpoint:
    """A state of the thread, or of a subgraph inside a task (then `namespace` is not empty)."""

    checkpoint_id: str
    namespace: str = ""
    next: tuple[str, ...] = ()
    tasks: tuple[Task, ...] = ()
    source: str | None = None
    """metadata.source: input, loop, update, fork."""
    values: Any = None
    parent_id: str | None = None
    run_id: str | None = None
    """The run that made it."""
    assistant_id: str | None = None
    graph: str | None = None
    config: Mapping[str, Any] = field(default_factory=dict)
    """The server's own address of it ({thread_id, checkpoint_ns, checkpoint_id, checkpoint_map}), for update_state."""


@dataclass(frozen=True)
class RunInfo:
    """A run as far as reviews need it. `interrupt_before`/`interrupt_after`: breakpoints asked for by this run."""

    run_id: str
    status: str
    """pending, running, success, error, timeout, interrupted (which means cancelled)."""
    assistant_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    interrupt_before: tuple[str, ...] = ()
    interrupt_after: tuple[str, ...] = ()
    has_input: bool = False
    has_resume: bool = False
    resume_ids: frozenset[str] = frozenset()
    """The interrupts that it answers by id; empty for a bare value, which answers whatever is pending."""
    created_at: datetime | None = None

    @property
    def active(self) -> bool:
        return self.status in ("pending", "running")


@dataclass(frozen=True)
class Beginning:
    """The checkpoint on which a run began, in the thread or in a subgraph of it, and how that one came about.

    `moved`: whether the run has made one on it. If not, it is the newest there, whoever made it.
    """

    checkpoint_id: str | None
    source: str | None = None
    parent_id: str | None = None
    moved: bool = True


@dataclass(frozen=True)
class ThreadSnapshot:
    """All that one look at a thread shows."""

    thread_id: str
    status: str
    """The row's word: idle, busy, interrupted, error. A hint, never the truth about what is pending."""
    checkpoint: Checkpoint
    runs: tuple[RunInfo, ...] = ()
    """The newest runs, newest first, and those that were asked for by id."""
    forgotten: frozenset[str] = frozenset()
    """Runs that were asked for by id and that the server does not know."""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    begun: Mapping[str, Beginning] = field(default_factory=dict)
    """By run id, of those for which it was looked up."""

    @property
    def run(self) -> RunInfo | None:
        """The newest run."""
        return self.runs[0] if self.runs else None

    @property
    def busy(self) -> bool:
        return self.status == "busy" or any(run.active for run in self.runs)

    @property
    def running(self) -> bool:
        """A run moves the thread at this moment: what its checkpoint shows as pending may be answered already."""
        return any(run.status == "running" for run in self.runs)


@dataclass(frozen=True)
class Gone:
    """The thread is no longer there."""

    thread_id: str


@dataclass(frozen=True)
class Review:
    """One row of reviews.reviews."""

    id: str
    thread_id: str
    interrupt_id: str
    digest: str
    occurrence: int
    kind: Kind
    shape: str
    debug: bool
    graph: str | None
    assistant_id: str | None
    assistant_name: str | None
    assistant_version: int | None
    node: str | None
    namespace: str
    run_id: str | None
    """The run that asked; `resume_run_id` is the one that carries the answer."""
    checkpoint_id: str
    title: str
    amount_usd: float | None
    risk: Risk
    payload: Any
    response_schema: dict[str, Any] | None
    state: ReviewState
    phase: Phase
    groups: tuple[str, ...]
    policy: dict[str, Any]
    opened_at: datetime
    due_at: datetime | None
    remind_at: datetime | None
    reminded_at: datetime | None
    escalate_to: str | None
    escalated_at: datetime | None
    expires_at: datetime | None
    claimed_by: str | None
    claimed_at: datetime | None
    two_person: bool
    first_by: str | None
    first_at: datetime | None
    first_answer: Any
    """{"decision", "answer", "reason", "resume"} of the first of two people."""
    decided_by: str | None
    decided_at: datetime | None
    decision: str | None
    answer: Any
    """What the graph is given back, in its own shape; `resume` is how."""
    resume: Any
    edits: Any
    """What was changed in the proposal: {field: {"before": ..., "after": ...}}, or None."""
    reason: str | None
    send_after: datetime | None
    sent_at: datetime | None
    resume_run_id: str | None
    consumed_at: datetime | None
    ended_at: datetime | None
    run_status: str | None
    error: str | None
    replaced_by: str | None
    returned_from: str | None
    """The earlier occurrence of this question, which was answered and then forgotten by the server."""
    note: str | None
    needs_person: bool
    """Something can't be known from state: an operator must look; `note` says what."""
    closed_at: datetime | None
    updated_at: datetime
    nodes: tuple[str, ...]
    """The graph's nodes beside the one that waits, for answers that are written as one of them."""
    delivery_error: str | None = None
    """Why its answer could not be taken further when that was last tried; None as long as it is on its way."""
    failing_since: datetime | None = None
    delivery_tries: int = 0
    """How often that was tried in vain since then."""
    next_try_at: datetime | None = None
    gave_up_at: datetime | None = None
    """The service tries no more by itself; the answer is kept."""
    send_with: str | None = None
    """The assistant's id with which an operator had it sent, in place of the one that asked."""

    @property
    def returned(self) -> bool:
        return self.returned_from is not None

    @property
    def pending(self) -> Pending:
        """The question as it was shown, for shapes."""
        return Pending(
            thread_id=self.thread_id, interrupt_id=self.interrupt_id, value=self.payload,
            response_schema=self.response_schema, node=self.node, namespace=self.namespace,
            checkpoint_id=self.checkpoint_id, kind=self.kind, debug=self.debug, nodes=self.nodes,
        )  # fmt: skip


@dataclass(frozen=True)
class Action:
    """One call that the agent wants to make: what is shown beside the form."""

    name: str
    args: Any
    description: str | None = None


@dataclass(frozen=True)
class Description:
    """A question in words. `title` is one line of at most 200 characters; `body` is markdown."""

    title: str
    body: str | None = None
    amount_usd: float | None = None
    actions: tuple[Action, ...] = ()
    evidence: tuple[str, ...] = ()
    """Keys of the payload worth showing beside the form, in order."""


@dataclass(frozen=True)
class Field:
    """One input of a form. `type` is a JSON type (string, number, integer, boolean, array, object, null, any)."""

    name: str
    label: str
    type: str
    schema: dict[str, Any] = field(default_factory=dict)
    editable: bool = True
    value: Any = None
    required: bool = False
    help: str | None = None


@dataclass(frozen=True)
class Choice:
    """One way to answer, with the fields it takes. `destructive` is never drawn beside `primary`."""

    decision: str
    label: str
    fields: tuple[Field, ...] = ()
    needs_reason: bool = False
    primary: bool = False
    destructive: bool = False


@dataclass(frozen=True)
class Form:
    """All ways to answer a question."""

    choices: tuple[Choice, ...]

    def choice(self, decision: str) -> Choice | None:
        return next((choice for choice in self.choices if choice.decision == decision), None)


@dataclass(frozen=True)
class Submission:
    """What a person sent. Either `fields` of the chosen form, or `raw`, the whole answer as JSON (`has_raw`)."""

    decision: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    raw: Any = None
    has_raw: bool = False
    reason: str | None = None


@dataclass(frozen=True)
class Resume:
    """How an answer reaches the graph.

    resume: {interrupt_id: value}. continue: a run with `input: null`, after `state_update` if there is one.
    update_state: `state_update` written as `as_node`, then a run with `input: null`.
    """

    kind: Literal["resume", "continue", "update_state"]
    value: Any = None
    as_node: str | None = None
    state_update: Any = None


@dataclass(frozen=True)
class Facts:
    """What a policy may match on when a review opens."""

    graph: str | None
    assistant_id: str | None
    assistant_name: str | None
    assistant_version: int | None
    node: str | None
    shape: str
    title: str
    payload: Any
    amount_usd: float | None
    debug: bool
    hints: Mapping[str, Any] = field(default_factory=dict)
    """{due, risk} of the cron's file that started the run, if one did. Whoever may start runs can write them."""


@dataclass(frozen=True)
class Stamp:
    """What a policy says of a review, fixed when it opens. Times are absolute.

    `default_on_expiry`: None (nothing happens), or {"decision": ..., "fields": {...}, "reason": ...}, an answer
    given at `expires_at`, or {"decision": "close"}: the review closes as expired and nothing is sent.
    """

    groups: tuple[str, ...] = ("reviewers",)
    due_at: datetime | None = None
    remind_at: datetime | None = None
    escalate_to: str | None = None
    expires_at: datetime | None = None
    default_on_expiry: Mapping[str, Any] | None = None
    two_person: bool = False
    risk: Risk = "normal"
    bulk_allowed: bool = False
    policy: Mapping[str, Any] = field(default_factory=dict)
    """The rule itself (name, file, line), as kept on the review."""

"""What the SQL operator's graph remembers: some of it per thread, most of it per question.

Keys of the thread (messages, turns, usage) live as long as the conversation; all others belong to one question and are
cleared by `intake`. Every key has one writer in a super-step, or a reducer. A new field must be optional and read with
a default: threads that were paused by an older version hold no value for it. `checked` is the one that `execute` has
made again where it is missing: such a thread goes back to `check`, and waits again.
"""

import operator
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from langgraph.managed import RemainingSteps
from typing_extensions import TypedDict

from agents.shared.failures import Failure
from agents.shared.limits import Usage, add_usage
from agents.shared.stops import Asks, Shown

Outcome: TypeAlias = Literal[
    "answered", "changed", "cannot", "refused", "rejected", "gave_up", "too_slow", "unavailable", "closed"
]


class Checked(TypedDict):
    """What was found out about a statement: only this one, by its digest, may run.

    `rows`: how many rows a write would change. None until `preview` has looked.
    """

    sql: str
    digest: str
    kind: Literal["read", "write"]
    tables: list[str]
    rows: int | None
    planned: bool


class Problem(TypedDict):
    """Why a statement can't be used; whoever wrote it is shown it."""

    node: str
    error: str
    sql: str


class Result(TypedDict):
    """What came of it: rows of a query with values as JSON, or the count of a write."""

    columns: list[str]
    rows: list[list[Any]]
    row_count: int
    more: bool
    repeated: bool


class Input(TypedDict):
    """What a caller sends: the question, as one or more messages."""

    messages: Annotated[list[AnyMessage], add_messages]


class State(TypedDict):
    """The whole state; see the module's docstring for how long each key lives.

    A person who is asked may write `sql` (another statement), `feedback` (what to do otherwise; it is planned anew) or
    `reject` (why it is not done at all).
    """

    messages: Annotated[list[AnyMessage], add_messages]
    turns: Annotated[int, operator.add]
    usage: Annotated[Usage, add_usage]

    question: NotRequired[str]
    sql: NotRequired[str]
    explanation: NotRequired[str]
    effect: NotRequired[str]
    feedback: NotRequired[str]
    reject: NotRequired[str]
    generated: NotRequired[str]
    checked: NotRequired[Checked | None]
    shown: NotRequired[Shown | None]
    """Newer than the first release: the statement that `preview` left for a person to look at, and when."""
    asks: NotRequired[Asks | None]
    """Newer, too: what the inbox says of the breakpoint."""
    problem: NotRequired[Problem | None]
    attempts: NotRequired[dict[str, int]]
    result: NotRequired[Result | None]
    outcome: NotRequired[Outcome | None]
    decided_by: NotRequired[str | None]
    failures: Annotated[list[Failure], operator.add]
    degraded: Annotated[list[str], operator.add]
    remaining_steps: NotRequired[RemainingSteps]


Update: TypeAlias = dict[str, Any]
"""A partial state, as nodes return it; `Overwrite` values bypass a reducer."""


def count(state: State, what: str) -> int:
    """How often that was tried for this question."""
    return state.get("attempts", {}).get(what, 0)


def one_more(state: State, what: str, **others: int) -> dict[str, int]:
    """The attempts with one more of that; `others` are set."""
    return {**state.get("attempts", {}), what: count(state, what) + 1, **others}

"""What the coder's graph remembers: some of it per thread, most of it per task.

Keys of the thread (messages, turns, usage) live as long as the conversation; all others belong to one task and are
cleared by `intake`. Every key has one writer in a super-step, or a reducer. A new field must be optional and read with
a default: threads that were paused by an older version hold no value for it.
"""

import operator
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from typing_extensions import TypedDict

from agents.shared.failures import Failure
from agents.shared.limits import Usage, add_usage
from agents.shared.sandbox.verdicts import Kind

Outcome: TypeAlias = Literal["passed", "accepted", "failed", "stopped", "unclear", "unavailable", "closed"]


class Attempt(TypedDict):
    """One round: the code, and what its tests said. `log` has the errors, cut to a few thousand characters."""

    code: str
    kind: Kind
    summary: str
    passed: int
    total: int
    log: str
    checks: NotRequired[str]
    """Digest of the tests that were run. Newer than the first release: an attempt without one counts for all tests."""


class Problem(TypedDict):
    """Why an answer of the model, or of a person, can't be used; it is shown again with the reason."""

    node: str
    error: str


class Input(TypedDict):
    """What a caller sends: the task in plain words, and the tests that the code has to pass, if there are any."""

    messages: Annotated[list[AnyMessage], add_messages]
    tests: NotRequired[str]


class State(TypedDict):
    """The whole state. `tests` is the caller's, for the next task; `checks` are the tests of this one, from the caller
    or written with the first attempt, and no model changes them afterwards."""

    messages: Annotated[list[AnyMessage], add_messages]
    turns: Annotated[int, operator.add]
    usage: Annotated[Usage, add_usage]
    tests: NotRequired[str]

    task: NotRequired[str]
    checks: NotRequired[str]
    code: NotRequired[str]
    critique: NotRequired[str]
    advice: NotRequired[str]
    rounds: NotRequired[int]
    advised: NotRequired[int]
    tries: Annotated[list[Attempt], operator.add]
    problem: NotRequired[Problem | None]
    outcome: NotRequired[Outcome | None]
    stopped_because: NotRequired[str]
    decided_by: NotRequired[str | None]
    kept: NotRequired[str | None]
    """Newer than the first release: the code that an earlier run of this task has kept, where it is another one."""
    failures: Annotated[list[Failure], operator.add]
    degraded: Annotated[list[str], operator.add]


Update: TypeAlias = dict[str, Any]
"""A partial state, as nodes return it; `Overwrite` values bypass a reducer."""

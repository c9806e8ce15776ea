"""What the treasury graph remembers: a Pydantic model with ranges, in which nothing unknown has a place.

LangGraph hands each node this model, so that a bad write (by a node, an approver's `update`, an edit of the state)
fails at the next node with the field named. Nested values are TypedDicts: checked alike, and plain JSON in checkpoints.
A new field needs a default, or `backfill` to compute it: threads that were paused by an older version hold none.
"""

from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from langchain_core.messages import AnyMessage
from langgraph.graph.message import add_messages
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, with_config
from typing_extensions import TypedDict

from agents.shared.failures import Failure
from agents.shared.limits import Usage, add_usage

LARGEST_USD = 1_000_000_000
MAX_QUESTIONS = 3
"""How often a request may be sent back with a question."""
MAX_ANSWERS = 6
"""How many answers at the gate may come to nothing before the request ends in the dead letters."""


def _whole_cents(amount: float) -> float:
    if round(amount, 2) != amount:
        raise ValueError(f"{amount} has more than two decimals")
    return amount


def _printable(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("must be printable text on one line")
    return text


# Strict: else `true` would be a dollar, and a text that looks like a number what it looks like.
Usd = Annotated[
    float, Field(gt=0, lt=LARGEST_USD, strict=True, allow_inf_nan=False), AfterValidator(_whole_cents)
]
Line = Annotated[str, Field(min_length=1, max_length=140), AfterValidator(_printable)]
Status: TypeAlias = Literal["checked", "signed", "executed"]
Outcome: TypeAlias = Literal[
    "waiting", "executed", "rejected", "withdrawn", "incomplete", "over_limit", "duplicate", "sanctioned", "held",
    "unknown_instrument", "not_held", "dead_letter", "closed",
]  # fmt: skip


@with_config(ConfigDict(extra="forbid"))
class Payment(TypedDict):
    """Money to somebody's account, for something with a reference (an invoice's number)."""

    kind: Literal["payment"]
    beneficiary: Line
    account: Annotated[Line, Field(min_length=5, max_length=42)]
    amount_usd: Usd
    reference: Line


@with_config(ConfigDict(extra="forbid"))
class Trade(TypedDict):
    """Shares bought or sold; the amount is what they cost at the price that was checked."""

    kind: Literal["trade"]
    side: Literal["buy", "sell"]
    symbol: Annotated[str, Field(pattern=r"^[A-Z][A-Z0-9.]{0,9}$")]
    quantity: Annotated[int, Field(gt=0, le=1_000_000, strict=True)]


Proposal: TypeAlias = Annotated[Payment | Trade, Field(discriminator="kind")]


@with_config(ConfigDict(extra="forbid"))
class Verdict(TypedDict):
    """What the checks came to. Written once a revision, before the gate, and nothing there is computed again."""

    key: str
    revision: Annotated[int, Field(ge=1, le=1_000)]
    amount_usd: Usd
    signatures_needed: Annotated[int, Field(ge=0, le=2)]
    digest: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
    requested_by: str
    notes: list[str]


@with_config(ConfigDict(extra="forbid"))
class Answered(TypedDict):
    """An approval that the gate took and `sign` has not written yet: whose, and who brought it."""

    by: Annotated[list[str], Field(min_length=1, max_length=10)]
    caller: str
    note: Annotated[str, Field(max_length=2_000)]


@with_config(ConfigDict(extra="forbid"))
class Clarification(TypedDict):
    """What an approver asked and what the requester said."""

    question: str
    answer: NotRequired[str]


class Input(BaseModel):
    """What a requester sends: plain words, or the proposal itself."""

    model_config = ConfigDict(extra="forbid")

    # Dicts too: clients send messages as {"role", "content"}, and `add_messages` makes messages of them.
    messages: Annotated[list[AnyMessage | dict[str, Any]], add_messages] = Field(
        default_factory=list, description="the request in plain words"
    )
    request: Proposal | None = Field(default=None, description="the request itself, instead of words")


# check: allow many-keys: the record of one request, cleared as a whole by `intake`, each key checked by its type;
# threads that wait for a signature hold them under these names
class State(BaseModel):
    """The whole state. messages, turns and usage belong to the thread; the rest to one request, cleared by `intake`."""

    model_config = ConfigDict(extra="forbid")

    messages: Annotated[list[AnyMessage], add_messages] = Field(default_factory=list)
    turns: int = Field(default=0, ge=0, le=10_000)
    usage: Annotated[Usage, add_usage] = Field(default_factory=dict)

    request: Proposal | None = None
    """As it came in; `intake` makes it the proposal, so that the next message is not about it."""
    proposal: Proposal | None = None
    verdict: Verdict | None = None
    revision: int = Field(default=0, ge=0, le=1_000)
    signatures: list[str] = Field(default_factory=list, max_length=10)
    clarifications: list[Clarification] = Field(default_factory=list, max_length=MAX_QUESTIONS)
    """Newer than the first release; a default is all it needs."""
    risk: int | None = Field(default=None, ge=0, le=100)
    """Newer than the first release; where it is missing, `backfill` computes it, since the ledger wants one."""

    decided_by: str | None = Field(default=None, max_length=200)
    """Written beside an answer by the review service: `Command(resume=..., update={"decided_by": ...})`."""
    deciders: list[str] = Field(default_factory=list, max_length=10)
    """The same, when a policy had two people agree: all of them."""
    compliance_note: str = Field(default="", max_length=2_000)
    """Written beside an answer by whoever approves; it is kept with the signature."""
    answered: Answered | None = None

    attempts: int = Field(default=0, ge=0, le=MAX_ANSWERS)
    problem: str | None = None
    reject_reason: str | None = None
    failures: list[Failure] = Field(default_factory=list)
    degraded: list[str] = Field(default_factory=list)
    bank_reference: str | None = None
    outcome: Outcome | None = None


Update: TypeAlias = dict[str, Any]
"""A partial state, as nodes return it."""

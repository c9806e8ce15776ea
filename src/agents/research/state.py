"""What the research remembers, some per thread, most per question. `Input` and `Output` are all that callers see.

Keys of the thread (turns, messages, usage, trail) live as long as it; all others belong to one question and are cleared
by `intake`. Every key has one writer in a super-step, or a reducer, or is a channel of its own kind. A new field must
be optional and read with a default: threads that were paused by an older version hold no value for it.
"""

from typing import Annotated, Any, Literal, NotRequired, TypeAlias

from langchain_core.messages import AnyMessage
from langgraph.channels import Topic
from typing_extensions import TypedDict

from agents.research.reducers import (
    Standing,
    Step,
    add_counts,
    append_only,
    conversation,
    note_events,
    readable,
)
from agents.shared.limits import Usage, add_usage
from agents.shared.notes import add_notes
from agents.shared.retrieval import Found, Place, Source, keep_once
from agents.shared.retrieval.fusion import Rankings, add_rankings

Outcome: TypeAlias = Literal["answered", "partial", "not_found", "unavailable", "closed"]


class Task(TypedDict):
    """What one `Send` hands to `investigate`: a sub-question, and how far its search may go."""

    sub_id: str
    number: int
    of: int
    turn: int
    searched: int
    question: str
    queries: list[str]
    sources: list[Source]
    limit: int
    max_searches: int
    models: list[str]
    embeddings: str | None
    folder: str
    cache_minutes: int


class Lead(TypedDict):
    """A sub-question for which nothing was found, and wider searches for it, made of its own words."""

    sub_id: str
    queries: list[str]


class Reference(TypedDict):
    """A passage with the number by which it is cited."""

    number: int
    passage_id: str
    text: str
    places: list[Place]


class Claim(TypedDict):
    """A sentence of the answer, and the numbers of the passages that say so."""

    text: str
    sources: list[int]


class Draft(TypedDict):
    """The answer as it was written, and what is wrong with it; it is mended once."""

    claims: list[Claim]
    problems: list[str]


class Citation(TypedDict):
    """A source of the answer: [number] in the text stands for this place."""

    number: int
    title: str
    where: str
    source: Source
    excerpt: str


class Input(TypedDict):
    """What a caller sends: one question. Earlier ones on the thread are remembered."""

    question: str


class Output(TypedDict):
    """What a run comes to."""

    answer: NotRequired[str]
    """Markdown; each sentence ends with the numbers of its sources."""
    sources: NotRequired[list[Citation]]
    sub_questions: NotRequired[list[str]]
    open_questions: NotRequired[list[str]]
    """Sub-questions that no sentence of the answer is about."""
    outcome: NotRequired[Outcome]
    degraded: NotRequired[list[str]]
    """What could not be done, and what it was done without."""


class State(TypedDict):
    """The whole state; what is not in Input and Output is private."""

    question: Annotated[str, readable]
    turns: NotRequired[int]
    messages: Annotated[list[AnyMessage], conversation]
    """The newest questions and answers; the system message stands before them where a model is asked, only there."""
    usage: Annotated[Usage, add_usage]
    trail: Annotated[list[Step], append_only]

    tally: Annotated[dict[str, int], add_counts]
    """`searches` that were made, `answered` sources over all sub-questions, and `tokens_before` the question came."""
    tasks: NotRequired[list[Task]]
    """What is to be looked into next."""
    standing: Annotated[dict[str, Standing], note_events]
    passages: Annotated[Found, keep_once]
    rankings: Annotated[Rankings, add_rankings]
    """By sub-question: the ids of its passages, best first."""
    leads: Annotated[list[Lead], Topic(Lead)]
    """Published by `investigate`, read once by `gather` in the step behind; nobody sees them again."""
    references: NotRequired[list[str]]
    """The ids of the passages that the answer is written from: the first is cited as 1. Newer than the first release;
    where it is missing, it is made of the passages when it is first read."""
    draft: NotRequired[Draft | None]
    sub_questions: NotRequired[list[str]]
    open_questions: NotRequired[list[str]]
    answer: NotRequired[str]
    sources: NotRequired[list[Citation]]
    degraded: Annotated[list[str], add_notes]
    outcome: NotRequired[Outcome | None]


Update: TypeAlias = dict[str, Any]
"""A partial state, as nodes return it; `Overwrite` values bypass a reducer."""

"""What the retrieval is asked, what it answers, and what nobody outside sees.

Whoever uses it maps its own state to `Input` and `Output` back, in a node. Settings are part of the input: it has no
context of its own, and never reads its caller's.
"""

import operator
from typing import Annotated, Any, NotRequired, TypeAlias

from typing_extensions import TypedDict

from agents.shared.limits import Usage, add_usage
from agents.shared.notes import add_notes
from agents.shared.retrieval.fusion import Rankings, add_rankings
from agents.shared.retrieval.passages import Found, Passage, Source, keep_once


class Input(TypedDict):
    """One question, and how far the search for it may go."""

    question: str
    queries: NotRequired[list[str]]
    """What to search for; left out, a model or the rules make queries of the question."""
    sources: NotRequired[list[Source]]
    """Which to search; left out or empty: all that there are. One that is not there is not searched."""
    limit: NotRequired[int]
    """Passages to return at most, best first; 6."""
    max_searches: NotRequired[int]
    """Queries times sources, at most; 12."""
    models: NotRequired[list[str]]
    """Chat models that may make the queries, best first; left out: the written rules alone."""
    embeddings: NotRequired[str | None]
    """Embedding model; None: the default one."""
    folder: NotRequired[str]
    """A part of the tenant's folder, such as "handbooks"; empty: all of it."""
    cache_minutes: NotRequired[int]
    """How long what the web answered is used again; 60. 0 asks anew each time."""


class Output(TypedDict):
    """What was found; nothing is an answer, too."""

    passages: list[Passage]
    searched: list[Source]
    """The sources that answered."""
    failed: list[Source]
    """Those that did not, whatever else was found; `degraded` says why."""
    searches: int
    degraded: list[str]
    usage: Usage


def both(left: list[Source] | None, right: list[Source] | None) -> list[Source]:
    """All names once, sorted."""
    return sorted({*(left or []), *(right or [])})


class State(Input):
    """With what stays inside: queries, and what each list holds."""

    found: Annotated[Found, keep_once]
    rankings: Annotated[Rankings, add_rankings]
    searched: Annotated[list[Source], both]
    failed: Annotated[list[Source], both]
    searches: Annotated[int, operator.add]
    degraded: Annotated[list[str], add_notes]
    usage: Annotated[Usage, add_usage]
    passages: NotRequired[list[Passage]]


Update: TypeAlias = dict[str, Any]
"""A partial state, as nodes return it."""

"""The work of the retrieval: queries out of a question, one node a source, one order at the end.

A source that fails for a known cause leaves a note, and neither what the others found nor what it found before is lost.
"""

import logging
from collections.abc import Awaitable, Callable

from langgraph.runtime import Runtime
from pydantic import BaseModel, Field

from agents.shared import models
from agents.shared.limits import add_usage
from agents.shared.models import ModelUnavailable
from agents.shared.offline import OFFLINE
from agents.shared.resilience import giving_up
from agents.shared.retrieval import rules
from agents.shared.retrieval.asking import NAMES, Asked, Search
from agents.shared.retrieval.fusion import by_reciprocal_rank
from agents.shared.retrieval.passages import Source, keep_once, passage_of
from agents.shared.retrieval.prompts import decompose as decompose_prompt
from agents.shared.retrieval.sources import offered
from agents.shared.retrieval.sources.web import SearchUnavailable
from agents.shared.retrieval.state import Input, State, Update
from agents.shared.shop.text import storable

_log = logging.getLogger(__name__)

LIMIT = 6
MAX_SEARCHES = 12
MAX_QUERIES = 3
LONGEST_QUERY = 300
MODEL_TIMEOUT_S = 30.0
TRIED_ENOUGH = (SearchUnavailable, ModelUnavailable)
"""Their own clients have used up their tries."""


class Queries(BaseModel):
    """What to search for."""

    queries: list[str] = Field(min_length=1, max_length=10)


async def decompose(state: State) -> Update:
    """The queries: those that were given, else a model's, else the written rules'; as many as may be searched."""
    given, update = state.get("queries") or [], Update()
    question = storable(state["question"])
    if not given:
        reply = await models.ask(
            decompose_prompt(question),
            node="decompose",
            models=[*state.get("models", []), OFFLINE],
            rules=rules.answer,
            schema=Queries,
            timeout_s=MODEL_TIMEOUT_S,
        )
        update = {"usage": reply.usage, "degraded": list(reply.degraded)}
        if isinstance(reply.parsed, Queries):
            given = reply.parsed.queries
        else:
            given = rules.queries(question)
            _log.warning("decompose: %s gave an unusable answer: %s", reply.model, reply.problem)
            update["degraded"].append(f"decompose: {reply.model} gave an unusable answer")
    most = state.get("max_searches", MAX_SEARCHES) // max(1, len(sources_of(state)))
    tidied = dict.fromkeys(
        " ".join(query.split())[:LONGEST_QUERY] for query in [*map(storable, given), question]
    )
    return {
        **update,
        "queries": [query for query in tidied if query][: max(1, min(most, MAX_QUERIES, len(given)))],
    }


def sources_of(state: Input) -> list[Source]:
    """The sources that this question goes to: those that are wanted and there, no more than may be searched."""
    return offered(state.get("sources") or [])[: max(1, state.get("max_searches", MAX_SEARCHES))]


def searching(source: Source, search: Search) -> Callable[..., Awaitable[Update]]:
    """The node that puts all queries to one source; the nodes of all sources run at once."""

    async def node(state: State, runtime: Runtime[None]) -> Update:
        sum_of = _Sum(source)
        async with giving_up(runtime, tried_enough=TRIED_ENOUGH) as given_up:
            for query in state.get("queries") or []:
                runtime.stream_writer({"progress": f"searching {NAMES[source]}: {query}"})
                sum_of.searches += 1
                sum_of.add(query, await search(query, state, runtime))
        return sum_of.update([f"{NAMES[source]}: {reason}" for reason in given_up.reasons])

    return node


class _Sum:
    """What one source came to over all queries."""

    def __init__(self, source: Source) -> None:
        self._source: Source = source
        self._sum: Update = {"found": {}, "rankings": {}, "usage": {}}
        self._notes: list[str] = []
        self.searches = 0

    def add(self, query: str, asked: Asked) -> None:
        passages = [passage_of(self._source, hit) for hit in asked.hits]
        for passage in passages:
            self._sum["found"] = keep_once(self._sum["found"], {passage["passage_id"]: passage})
        self._sum["rankings"][f"{self._source}|{query}"] = [passage["passage_id"] for passage in passages]
        self._sum["usage"] = add_usage(self._sum["usage"], asked.usage)
        self._notes += asked.notes

    def update(self, failures: list[str]) -> Update:
        outcome = "failed" if failures else "searched"
        return {
            **self._sum, "degraded": [*self._notes, *failures], "searches": self.searches, outcome: [self._source]
        }  # fmt: skip


async def rank(state: State) -> Update:
    """The best passages of all sources and queries, in one order."""
    found, order = state.get("found", {}), by_reciprocal_rank(state.get("rankings", {}))
    return {"passages": [found[passage_id] for passage_id in order[: state.get("limit", LIMIT)]]}

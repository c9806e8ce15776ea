"""Asks each source one query; what it needs besides is read from the retrieval's input, and the tenant from the run."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from langgraph.runtime import Runtime

from agents.shared.database import DatabaseUnavailable
from agents.shared.limits import Usage
from agents.shared.resilience import breaker
from agents.shared.retrieval.passages import Hit, Source
from agents.shared.retrieval.sources import folder, kept, meaning, web
from agents.shared.retrieval.state import State
from agents.shared.running import tenant_on
from agents.shared.shop import articles

A_QUERY = 10
"""Passages that one source is asked for, for one query."""
CACHE_MINUTES = 60
NAMES: dict[Source, str] = {
    "articles": "the help articles by words",
    "meaning": "the help articles by meaning",
    "folder": "the folder of documents",
    "web": "the web",
}


@dataclass(frozen=True)
class Asked:
    """What a source found, best first, what that cost, and what it could not read."""

    hits: list[Hit]
    usage: Usage = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


Search = Callable[[str, State, Runtime[None]], Awaitable[Asked]]


async def ask_articles(query: str, state: State, runtime: Runtime[None]) -> Asked:
    """The help articles by words, which every tenant may read."""
    async with breaker("articles"):
        return Asked(_hits(await articles.search_articles(query, A_QUERY)))


async def ask_meaning(query: str, state: State, runtime: Runtime[None]) -> Asked:
    """The help articles by vectors."""
    found, usage = await meaning.search(query, model=state.get("embeddings"), limit=A_QUERY)
    return Asked(_hits(found), usage)


async def ask_folder(query: str, state: State, runtime: Runtime[None]) -> Asked:
    """The tenant's documents; each page that is read is told of."""

    def report(name: str, page: int, of: int) -> None:
        runtime.stream_writer(
            {"progress": f"reading {name}: page {page} of {of}", "document": name, "page": page, "of": of}
        )

    tenant, part = await tenant_on(runtime), state.get("folder", "")
    hits, notes = await folder.search(tenant, query, part=part, limit=A_QUERY, report=report)
    return Asked(hits, notes=notes)


async def ask_web(query: str, state: State, runtime: Runtime[None]) -> Asked:
    """The web; what the same tenant asked a while ago is not paid for again."""
    tenant, search = await tenant_on(runtime), web.web_search()
    minutes = state.get("cache_minutes", CACHE_MINUTES)
    key = kept.key_of(url=search.url, query=query.casefold(), limit=A_QUERY)
    known = await kept.find(tenant, "web", key, minutes) if minutes else None
    if known is not None:
        return Asked(known)
    hits = await search.search(query, A_QUERY)
    if minutes:
        with suppress(DatabaseUnavailable):  # it was paid for: a retry of the node would pay again
            await kept.keep(tenant, "web", key, hits)
    return Asked(hits)


def _hits(found: list[articles.Article]) -> list[Hit]:
    return [Hit(one["title"], one["article_id"], one["excerpt"]) for one in found]

"""What the researcher reads: the house's rules for building software, and the shop's help articles."""

from agents.engineering_team.state import Source
from agents.shared.database import connection
from agents.shared.queries import load
from agents.shared.resilience import breaker, retrying
from agents.shared.shop import articles
from agents.shared.shop.text import storable

_SEARCH = load(__file__)["search_notes"]
MOST = 3
LONGEST_EXCERPT = 800


async def search_notes(query: str, tenant: str) -> list[Source]:
    """The best house rules for a sentence, best first: those of the house, and the tenant's own.

    Tried three times. Raises DatabaseUnavailable, or BreakerOpen.
    """
    values = {"query": storable(query), "tenant": tenant, "limit": MOST}
    async for attempt in retrying():
        with attempt:
            async with breaker("notes"), connection() as conn:
                rows = await (await conn.execute(_SEARCH, values)).fetchall()
            return [_source(f"note:{row['note_id']}", row["title"], row["body"]) for row in rows]
    raise AssertionError("retrying ends with a result or an error")


async def search_articles(query: str) -> list[Source]:
    """The best help articles of the shop, best first. Tried three times; raises as `search_notes`."""
    async for attempt in retrying():
        with attempt:
            async with breaker("articles"):
                found = await articles.search_articles(query, limit=MOST)
            return [_source(f"article:{one['article_id']}", one["title"], one["excerpt"]) for one in found]
    raise AssertionError("retrying ends with a result or an error")


def _source(source: str, title: str, text: str) -> Source:
    return {"source": source, "title": title, "excerpt": " ".join(text.split())[:LONGEST_EXCERPT]}

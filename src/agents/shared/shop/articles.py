"""Full-text search in the shop's help articles."""

from typing import cast

from typing_extensions import TypedDict

from agents.shared.database import connection
from agents.shared.queries import load
from agents.shared.shop.text import storable

_SEARCH = load(__file__)["search_articles"]


class Article(TypedDict):
    """A hit: `excerpt` is the article's best paragraph; a higher `score` is better."""

    article_id: str
    title: str
    excerpt: str
    score: float


async def search_articles(query: str, limit: int = 3) -> list[Article]:
    """The best articles for a query or a whole sentence, best first; empty when no word matches.

    Raises DatabaseUnavailable.
    """
    async with connection() as conn:
        rows = await (await conn.execute(_SEARCH, {"query": storable(query), "limit": limit})).fetchall()
    return cast("list[Article]", rows)

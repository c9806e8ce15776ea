"""Searches the help articles by words and by meaning at once, through the retrieval that other graphs use, too.

The retrieval knows nothing of this graph's state: `asked` and `articles_of` are the whole mapping between the two. It
costs some super-steps more than `search_kb`, so an assistant asks for it.
"""

from typing import Any, cast

from langgraph.runtime import Runtime

from agents.shared.retrieval import Input, Output, retrieval
from agents.shared.shop.articles import Article
from agents.support.context import Context
from agents.support.state import SearchTask, Update

LIMIT = 3


async def search_by_meaning(state: SearchTask, runtime: Runtime[Context]) -> Update:
    """Articles for one search, as `search_kb` gives them; several run at once and the reducer merges them."""
    runtime.stream_writer({"progress": f"searching the help articles, by meaning too: {state['query']}"})
    found: Any = await retrieval.ainvoke(asked(state["query"]))
    update: Update = {
        "articles": articles_of(cast("Output", found)), "degraded": found["degraded"], "usage": found["usage"],
    }  # fmt: skip
    if found["searched"]:
        return update
    reason = "; ".join(found["degraded"]) or "no source answered"
    return {**update, "failures": [{"node": "search_kb", "reason": reason}]}


def asked(query: str) -> Input:
    """A search as the retrieval is asked it: its own words, in the articles alone."""
    return {"question": query, "queries": [query], "sources": ["articles", "meaning"], "limit": LIMIT}


def articles_of(found: Output) -> list[Article]:
    """What was found as this graph has articles. Its order is the retrieval's, so the score is the rank's."""
    return [
        {
            "article_id": passage["places"][0]["where"],
            "title": passage["places"][0]["title"],
            "excerpt": passage["text"],
            "score": 1 / rank,
        }
        for rank, passage in enumerate(found["passages"], 1)
    ]

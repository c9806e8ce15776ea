"""How the rules research: both libraries for the question, then the best text of the one that fits, as it stands."""

import json
import re
from typing import Any

from agents.engineering_team.rules.reading import facts_of, said, steps, text
from agents.shared.offline import Reply, Request

_LONGEST = 400
_SHOP = re.compile(
    r"\b(returns?|returned|refunds?|orders?|deliver(?:y|ed)|shipping|invoices?|gift|customers?|accounts?)\b"
)


def research(request: Request) -> Reply:
    """Both searches at once, then the report."""
    question = text(facts_of(request), "question")[:500] or "help"
    if steps(request) == 0 and {"search_notes", "search_articles"} <= set(request.tools):
        return Reply(
            tool_calls=(("search_notes", {"query": question}), ("search_articles", {"query": question}))
        )
    found = {tool: _found(told) for tool, told in said(request)}
    places = ["search_notes", "search_articles"]
    if _SHOP.search(question.casefold()):
        places.reverse()
    best = next((found[place][:1] for place in places if found.get(place)), [])
    answer = " ".join(one["excerpt"][:_LONGEST] for one in best) or "Nothing is written down about this."
    args = {"answer": answer[:2_000], "sources": [one["source"] for one in best]}
    return Reply(tool_calls=(("ResearchReport", args),))


def _found(told: str) -> list[dict[str, Any]]:
    try:
        read = json.loads(told)
    except ValueError:
        return []
    return read if isinstance(read, list) else []

"""The offline rule set: the report's first sentence, from its figures alone."""

import json
from typing import Any

from agents.shared.offline import Reply, Request

QUIET = "Nothing happened since last time, and nobody waits for an answer."


def answer(request: Request) -> Reply:
    """The headline. Raises ValueError for a task that the rules do not know."""
    task = request.system.partition("\n")[0].removeprefix("Task:").strip()
    if task != "headline":
        raise ValueError(f"the digest's rules know no task {task!r}; they know headline")
    facts = request.system.rpartition("<facts>")[2].partition("</facts>")[0]
    return Reply(text=headline(json.loads(facts)))


def headline(figures: dict[str, Any]) -> str:
    """What needs a person first, then what happened; a quiet time is told as such."""
    if figures["quiet"]:
        return QUIET
    urgent = [
        _count(figures, "reviews", "waiting", "review waits", "reviews wait", " for a person"),
        _count(figures, "runs", "failed", "run failed", "runs failed"),
        _count(figures, "tickets", "dead_letters", "case could not be handled", "cases could not be handled"),
    ]
    happened = [
        _count(figures, "tickets", "tickets", "ticket was worked on", "tickets were worked on"),
        _count(figures, "refunds", "refunds", "refund was made", "refunds were made", _refunded(figures)),
        _count(figures, "spend", "calls", "model call was paid", "model calls were paid"),
    ]
    sentences = [
        f"{'; '.join(found)}." for part in (urgent, happened) if (found := [text for text in part if text])
    ]
    if figures["missing"]:
        sentences.append("Not everything could be read.")
    return " ".join(sentences) or "Nothing new happened since last time."


def _count(figures: dict[str, Any], part: str, key: str, one: str, many: str, more: str = "") -> str:
    number = figures.get(part, {}).get("now", {}).get(key, 0)
    return f"{number} {one if number == 1 else many}{more}" if number else ""


def _refunded(figures: dict[str, Any]) -> str:
    usd = figures.get("refunds", {}).get("now", {}).get("usd", 0)
    return f" (${usd:,.2f})"

"""Conditions that a question names: a status, a span of time, an order, a category, a number."""

import re

STATUSES = ("pending", "processed", "delivered", "cancelled")
_SPANS = {
    "today": "{c} >= current_date",
    "yesterday": "{c} >= current_date - interval '1 day' and {c} < current_date",
    "this week": "{c} >= date_trunc('week', current_date)",
    "last week": "{c} >= current_date - interval '7 days'",
    "this month": "{c} >= date_trunc('month', current_date)",
    "last month": "{c} >= current_date - interval '1 month'",
    "this year": "{c} >= date_trunc('year', current_date)",
    "last year": "{c} >= current_date - interval '1 year'",
}
_LAST = re.compile(r"\b(?:last|past) (\d{1,4}) (day|week|month|year)s?\b")
_SINCE = re.compile(r"\bsince (\d{4}-\d{2}-\d{2})\b")
_TOP = re.compile(r"\b(?:top|limit|first|best|at most|only) (\d{1,3})\b")
_ORDER = re.compile(r"#?\b(w?\d{4,15})\b")


def period(words: str) -> str | None:
    """A condition over the column {c}, or None when no time is named."""
    if found := _LAST.search(words):
        return f"{{c}} >= current_date - interval '{int(found[1])} {found[2]}s'"
    if found := _SINCE.search(words):
        return f"{{c}} >= date '{found[1]}'"
    return next((condition for name, condition in _SPANS.items() if name in words), None)


def status(words: str) -> str | None:
    """The status that is named; "open" is pending, "canceled" is spelt our way."""
    if re.search(r"\bopen\b", words):
        return "pending"
    if "canceled" in words:
        return "cancelled"
    return next((name for name in STATUSES if re.search(rf"\b{name}\b", words)), None)


def top(words: str, default: int) -> int:
    """How many rows are wanted."""
    found = _TOP.search(words)
    return max(1, min(int(found[1]), 100)) if found else default


def order_id(words: str) -> str | None:
    """The number of an order, when one is named as such."""
    found = _ORDER.search(words) if re.search(r"\border\b", words) else None
    return found[1].upper() if found else None

"""Wishes to change something that the rules can read. Feedback may name another number."""

import re

from agents.sql_operator.rules.questions import Written, template

_SKU = r"(?:sku |product |item )?(?P<sku>[a-z]?\d[a-z0-9-]{2,19})"
_CATEGORY = r"(?P<category>[a-z_ ]+?)"
_NUMBER = re.compile(r"\b(\d{1,6})\b")


def write_sql(words: str, feedback: str) -> Written | None:
    """The statement for a wish in lower case, and what it does; None when it is no such wish."""
    named = _NUMBER.search(feedback)
    for fits, name, says in _WISHES:
        if found := fits.search(words):
            parts = {key: value or "" for key, value in found.groupdict().items()}
            parts["n"] = named[1] if named else parts["n"]
            parts["sku"] = parts.get("sku", "").upper()
            parts["category"] = parts.get("category", "").strip().replace(" ", "_")
            return template(name, **parts), says.format(**parts)
    return None


def _wish(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b{pattern}\b")


_SET = "set (?:the )?"
_WISHES = (
    (
        _wish(rf"{_SET}reorder level (?:of|for) {_SKU} to (?P<n>\d{{1,6}})"),
        "set_reorder_level",
        "Sets the reorder level of {sku} to {n}.",
    ),
    (
        _wish(rf"{_SET}reorder levels? (?:of|for) (?:all )?(?:the )?{_CATEGORY} to (?P<n>\d{{1,6}})"),
        "set_reorder_levels",
        "Sets the reorder level of all {category} to {n}.",
    ),
    (
        _wish(rf"{_SET}(?:stock|on hand|count|inventory)(?: count)? (?:of|for) {_SKU} to (?P<n>\d{{1,6}})"),
        "set_count",
        "Sets the count of {sku} to {n}.",
    ),
    (
        _wish(rf"{_SET}lead time (?:of|for) {_CATEGORY} to (?P<n>\d{{1,3}})"),
        "set_lead_time",
        "Sets the lead time of {category} to {n} days.",
    ),
    (
        _wish(
            rf"(?:buy|order|request|purchase) (?P<n>\d{{1,6}}) (?:more )?(?:pieces |units )?(?:of )?{_SKU}"
        ),
        "request_purchase",
        "Requests a purchase of {n} of {sku}.",
    ),
)

"""Reads the budget of the whole trip, in US dollars; what is not certain is asked about."""

import re

_USD = re.compile(
    r"(?:US)?\$\s?(\d[\d,]*(?:\.\d{1,2})?)(?!\s?[km]\b)|(?<![\w.,])(\d[\d,]*(?:\.\d{1,2})?)\s?(?:usd|dollars?|bucks)\b",
    re.IGNORECASE,
)
_FOREIGN = re.compile(
    r"[€£₹¥]\s?\d|\d\s?(?:€|£|₹|eur|euros?|gbp|pounds?|inr|rupees?|yen|chf)\b", re.IGNORECASE
)
_BUDGET = re.compile(
    r"\b(?:budget|at most|no more than|max(?:imum)?|under|below|up to|within|in all|in total|all in)\b",
    re.IGNORECASE,
)
_A_PART = re.compile(
    r"\s*(?:(?:a|per|each)\s+(?:night|day|person|head|room|traveller|seat)|each|p\.p\.)\b", re.IGNORECASE
)


def read_budget(text: str) -> tuple[float | None, str | None]:
    """The budget in USD, and what is unclear about it."""
    named = list(_USD.finditer(text))
    whole = [match for match in named if not _A_PART.match(text[match.end() :])]
    if named and not whole:
        return None, "Please name the budget of the whole trip and everybody on it, in US dollars."
    found = [(float((match[1] or match[2]).replace(",", "")), match.start()) for match in whole]
    if not found:
        if _FOREIGN.search(text):
            return None, "Prices here are in US dollars: please name the budget of the whole trip in dollars."
        return None, None
    amounts = {amount for amount, _ in found}
    if len(amounts) == 1:
        return found[0][0] or None, None
    near = [amount for amount, start in found if _BUDGET.search(text[max(start - 25, 0) : start])]
    if len(set(near)) == 1:
        return near[0] or None, None
    return None, "I read more than one amount: which one is the budget of the whole trip, in US dollars?"

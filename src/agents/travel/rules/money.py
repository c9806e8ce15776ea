"""Reads the budget of the whole trip, in US dollars; what is not certain is asked about."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_CODES = "eur|gbp|chf|inr|jpy|cny|cad|aud|nzd|sgd|hkd|mxn|brl|sek|nok|dkk|pln"
_NATIONS = "australian|canadian|hong kong|singapore|new zealand"
_AMOUNT = re.compile(
    rf"(?:(?<!\w)(?P<left>(?:[a-z]{{1,3}})?[$€£¥₹]|(?:usd|{_CODES})(?:\s?[$€£¥₹])?)\s?|(?<![\w.,]))"
    r"(?P<count>\d{1,3}(?: \d{3})+(?!\d)|\d[\d.,]*)"
    r"(?:\s?(?P<times>k|m|thousand|grand|million)\b)?"
    rf"(?:\s?(?P<right>[$€£¥₹](?!\s?\d)|(?:(?:us|american|{_NATIONS})\s)?(?:dollars?|bucks)\b|"
    rf"(?:usd|{_CODES}|euros?|pounds?|rupees?|yen|francs?)\b))?",
    re.IGNORECASE,
)
_DOLLARS = frozenset(
    {"$", "us$", "usd", "usd$", "dollar", "dollars", "bucks", "us dollar", "us dollars", "american dollars"}
)
_TIMES = {"k": 1_000, "thousand": 1_000, "grand": 1_000, "m": 1_000_000, "million": 1_000_000}
_PLAIN = re.compile(r"\d+(?:\.\d{1,2})?|\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?")
_TO = re.compile(r"\s?(?:-|–|to)\s?\$?(?!\d{4}-\d)\d{3}", re.IGNORECASE)
_SMALL = "an?|few|couple of|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
_TENS = "sixteen|seventeen|eighteen|nineteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_IN_WORDS = re.compile(
    rf"\b(?:{_SMALL}|{_TENS})[ -](?:hundred|thousand|grand|million|(?:us )?dollars|bucks)\b", re.IGNORECASE
)
_BUDGET = re.compile(
    r"\b(?:budget|at most|no more than|max(?:imum)?|under|below|up to|within|in all|in total|all in)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\bbudget(?: for the (?:whole )?trip)?\s?(?:is|of|:|=)?\s?$", re.IGNORECASE)
_CEILING = re.compile(r"\b(?:at most|no more than|max(?:imum)?|under|below) $", re.IGNORECASE)
_COUNTS = re.compile(
    r"\s?(?:[-:/]|(?:km|miles|kg|hours?|minutes?|people|persons?|travell?ers?|passengers?|met(?:er|re)s)\b)",
    re.IGNORECASE,
)
_A_PART = re.compile(
    r"\s*(?:(?:a|per|each)\s+(?:night|day|person|head|room|traveller|seat)|each|p\.p\.)\b", re.IGNORECASE
)
SMALLEST_BARE = 100
_WHOLE = "name the budget of the whole trip and everybody on it"
_SEVERAL = "I read more than one amount: which one is the budget of the whole trip, in US dollars?"
_FOREIGN = "Prices here are in US dollars: please name the budget of the whole trip in dollars."


@dataclass(frozen=True)
class _Amount:
    """A number that stands for money; `usd` is None for one that can be read in two ways."""

    written: str
    usd: float | None
    start: int
    end: int
    is_foreign: bool


def read_budget(text: str) -> tuple[float | None, str | None]:
    """The budget in USD, and what is unclear about it."""
    amounts = list(_amounts(text))
    named = [one for one in amounts if not one.is_foreign]
    whole = [one for one in named if not _A_PART.match(text, one.end)]
    if named and not whole:
        return None, f"Please {_WHOLE}, in US dollars."
    if not whole:
        if amounts:
            return None, _FOREIGN
        return None, f"Please {_WHOLE} in digits, in US dollars." if _IN_WORDS.search(text) else None
    for one in whole:
        if one.usd is None:
            return (
                None,
                f"I can't tell how much {one.written!r} is: please {_WHOLE} in US dollars, such as $1,500.",
            )
    if any(_TO.match(text, one.end) for one in whole):
        return None, _SEVERAL
    return _the_one(text, whole)


def _the_one(text: str, whole: list[_Amount]) -> tuple[float | None, str | None]:
    if len({one.usd for one in whole}) == 1:
        return whole[0].usd or None, None
    near = {one.usd for one in whole if _BUDGET.search(text[max(one.start - 25, 0) : one.start])}
    if len(near) == 1:
        return near.pop() or None, None
    return None, _SEVERAL


def _amounts(text: str) -> Iterator[_Amount]:
    """What is money by its sign or its name; a bare number is, where it is called the budget."""
    for match in _AMOUNT.finditer(text):
        units = [" ".join(unit.lower().split()) for unit in (match["left"], match["right"]) if unit]
        written = match["count"].rstrip(".,")
        usd = _usd(written, match["times"])
        before = text[max(match.start() - 30, 0) : match.start()]
        if not units and not _is_budget(text, match, before, usd):
            continue
        foreign = any(unit.replace(" $", "$") not in _DOLLARS for unit in units)
        yield _Amount(written, usd, match.start(), match.end(), foreign)


def _is_budget(text: str, match: re.Match[str], before: str, usd: float | None) -> bool:
    """Whether a bare number is what may be spent, and counts neither people nor kilometres."""
    if _COUNTS.match(text, match.end()) or (match["times"] or "").lower() == "m":
        return False
    return bool(_NAMED.search(before) or (_CEILING.search(before) and usd and usd >= SMALLEST_BARE))


def _usd(written: str, times: str | None) -> float | None:
    """1,500 and 1500.50 are certain; 1.500 and 1,50 mean different things to different people."""
    number = written.replace(" ", "")
    if not _PLAIN.fullmatch(number):
        return None
    return float(number.replace(",", "")) * (_TIMES[times.lower()] if times else 1)

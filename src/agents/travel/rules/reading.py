"""What a traveller's message says of the trip, by its words: English, and only what the tools can note."""

import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

from agents.travel.rules.dates import NUMBERS, Dates, number, read_dates
from agents.travel.words import lets_go

_END = (
    r"(?=\s+(?:on|from|for|in|with|and|next|this|tomorrow|today|leaving|departing|starting|returning|back|under|at|"
    r"between|instead|until|till|via|please|budget|there|round|one|around|about|within|if|we|i|my|our|to|the|whole|\d)\b|"
    r"[^\w\s.'’-]|\.(?:\s|$)|\s*$)"
)
_PLACE = r"(?:the\s+)?([^\W\d_][^\W\d_.'’-]*(?:[ .'’-][^\W\d_]+){0,3}?)"
_FROM_TO = re.compile(rf"\bfrom\s+{_PLACE}\s+to\s+{_PLACE}{_END}", re.IGNORECASE)
_TO = re.compile(
    rf"(?i:\b(?:fly|flights?|trip|travel|travelling|traveling|go|going|get|take|weekend|week|days?|nights?|hotels?|rooms?)"
    rf"\s+(?:me\s+|us\s+)?(?:to|in)\s+{_PLACE}{_END})|(?i:\bvisit(?:ing)?\s+{_PLACE}{_END})|"
    rf"(?i:\bvisas?\s+(?:for|to)\s+{_PLACE}{_END})|(?i:\bto\s+{_PLACE}\s+instead\b)|"
    rf"\b(?:in|to|To|In)\s+([A-Z][^\W\d_]+(?: [A-Z][^\W\d_]+)?)"
)
_ORIGIN = re.compile(rf"\b(?:from|leaving|departing(?:\s+from)?)\s+{_PLACE}{_END}", re.IGNORECASE)
_NO_PLACE = re.compile(
    r"^(?:now|today|tomorrow|next|the|a|an|me|us|there|here|home|back|it|be|have|hold|book|see|know|january|february|march|"
    r"april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|"
    r"sunday|all|total|one|two|three|four|five|six|seven|eight|nine|ten|advance|case|time)\b",
    re.IGNORECASE,
)
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
_WORDS = "|".join(word for word in NUMBERS if word != "zero")
_MANY = re.compile(
    rf"\b(\d{{1,3}}|{_WORDS})\s+(?:\w+\s+)?"
    rf"(?:people|persons?|travell?ers?|adults?|passengers?|of us|seats?|tickets?)\b|"
    rf"\b(?:for|family of|group of|party of|make it)\s+(?:the\s+)?(\d{{1,2}}|{_WORDS})"
    rf"(?!\s*(?:-|nights?|days?|weeks?|usd|dollars?|%|hours?|\d|(?:st|nd|rd|th)\b|[a-z]*\s*(?:jan|feb|mar|apr|may|jun|jul|aug|"
    rf"sep|oct|nov|dec)))\b",
    re.IGNORECASE,
)
_OTHER = "wife|husband|partner|friend|girlfriend|boyfriend|colleague"
_PAIR = re.compile(
    rf"\b(?:my (?:{_OTHER}) and (?:i|me)|with my (?:{_OTHER})|(?:the two|both) of us|a couple|one more)\b",
    re.IGNORECASE,
)
_ALONE = re.compile(r"\b(?:alone|just me|by myself|solo)\b", re.IGNORECASE)
_NO_HOTEL = re.compile(
    r"\b(?:no|without(?: an?)?|don'?t need (?:an?)?|not an?)\s*(?:hotels?|rooms?|accommodation)\b|"
    r"\bflights? only\b|\b(?:only|just)(?: the)? (?:a )?flights?\b",
    re.IGNORECASE,
)
_HOTEL = re.compile(r"\b(?:hotels?|rooms?|accommodation|somewhere to stay)\b", re.IGNORECASE)
_ONE_WAY = re.compile(r"\b(?:one[- ]way|no return|not coming back|single ticket)\b", re.IGNORECASE)
_BACK = re.compile(
    r"\b(?:back|return(?:ing)?|until|till|through|home)\b[^.;]{0,25}$", re.IGNORECASE
)  # right before a date
_VISA = re.compile(r"\bvisas?\b", re.IGNORECASE)
_STATUS = re.compile(
    r"\b(?:what (?:do i|is|have i|are you) (?:hold|held|holding|booked|reserved?)\b|my (?:hold|reservation|booking)\b|"
    r"still (?:held|on hold))",
    re.IGNORECASE,
)
_GO_ON = re.compile(
    r"\b(?:search|find|look|try|again|yes|ok|okay|go ahead|propose|show|offer|continue|hold|book|cheaper|other|later|"
    r"earlier)\b",
    re.IGNORECASE,
)
_NATIONS = {
    "german": "DE", "germany": "DE", "indian": "IN", "india": "IN", "american": "US", "us": "US", "usa": "US",
    "british": "GB", "uk": "GB", "gb": "GB", "english": "GB", "japanese": "JP", "japan": "JP", "portuguese": "PT",
    "portugal": "PT", "italian": "IT", "italy": "IT", "french": "FR", "france": "FR", "spanish": "ES", "spain": "ES",
    "austrian": "AT", "dutch": "NL", "polish": "PL", "swiss": "CH", "chinese": "CN", "canadian": "CA",
    "brazilian": "BR",    "australian": "AU", "mexican": "MX",
}  # fmt: skip
_NATION = "|".join(sorted(_NATIONS, key=len, reverse=True))
_PASSPORT = re.compile(r"\b(?:passports?|citizens?|citizenship|nationality|nationals?)\b", re.IGNORECASE)
_NATIONALITY = re.compile(rf"(?<![\w-])({_NATION})(?![\w-])", re.IGNORECASE)
_CODES = re.compile(
    r"\bpassports?(?:\s+(?:of|from|are|is))?\s*:?\s*((?:[A-Z]{2}\b(?:\s*(?:,|and|&|/)\s*)?){1,9})"
)


@dataclass(frozen=True)
class Wishes:
    """What a message says: `trip` are the arguments of note_trip; `unclear` is what has to be asked again."""

    trip: dict[str, Any] = field(default_factory=dict)
    unclear: str | None = None
    visa: bool = False
    status: bool = False
    release: bool = False
    go_on: bool = False


def wishes_of(text: str, today: date, *, trip: dict[str, Any] | None = None) -> Wishes:
    """The wishes in a message; `trip` is what is known already, by which a lone date is there or back."""
    text = text[:4_000].replace("’", "'")
    dates = read_dates(text, today)
    said: dict[str, Any] = {**_places(text), **_when(text, dates, trip or {})}
    many, passports, hotel = _travellers(text), _passports(text), _hotel(text)
    budget, unclear = _budget(text)
    found = {"travellers": many, "passports": passports, "hotel": hotel, "budget_usd": budget}
    said |= {name: value for name, value in found.items() if value is not None}
    if dates.unclear:
        unclear = f"I can't tell which day {dates.unclear!r} is: please write it as YYYY-MM-DD."
    return Wishes(
        trip=said,
        unclear=unclear,
        visa=bool(_VISA.search(text)),
        status=bool(_STATUS.search(text)),
        release=lets_go(text),
        go_on=bool(_GO_ON.search(text)),
    )


def _places(text: str) -> dict[str, str]:
    both = _FROM_TO.search(text)
    if both:
        return {"origin": both[1].strip(), "destination": both[2].strip()}
    found: dict[str, str] = {}
    origin = _ORIGIN.search(text)
    if origin and not _NO_PLACE.match(origin[1]):
        found["origin"] = origin[1].strip()
    for match in _TO.finditer(text):
        place = next(group for group in match.groups() if group)
        if not _NO_PLACE.match(place):
            found["destination"] = place.strip()
            break
    return found


def _when(text: str, dates: Dates, trip: dict[str, Any]) -> dict[str, Any]:
    said: dict[str, Any] = {"one_way": True} if _ONE_WAY.search(text) else {}
    days = [one.day for one in dates.found]
    if len(dates.found) == 1 and _BACK.search(text[: dates.found[0].start]) and not dates.length:
        return {**said, "return_on": days[0].isoformat()}
    if days:
        said["depart_on"] = days[0].isoformat()
    if len(days) > 1 and not said.get("one_way"):
        said["return_on"] = days[1].isoformat()
    elif dates.length and not said.get("one_way"):
        there = days[0] if days else _known(trip)
        if there:
            said["return_on"] = (there + timedelta(days=dates.length)).isoformat()
    return said


def _known(trip: dict[str, Any]) -> date | None:
    return date.fromisoformat(trip["depart_on"]) if trip.get("depart_on") else None


def _budget(text: str) -> tuple[float | None, str | None]:
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


def _travellers(text: str) -> int | None:
    match = _MANY.search(text)
    if match:
        many = number(match[1] or match[2])
        return many if many > 0 else None
    if _PAIR.search(text):
        return 2
    return 1 if _ALONE.search(text) else None


def _passports(text: str) -> list[str] | None:
    codes = _CODES.search(text)
    if codes:
        return sorted(set(re.findall(r"[A-Z]{2}", codes[1])))
    near: set[str] = set()
    for match in _PASSPORT.finditer(text):
        around = text[max(match.start() - 40, 0) : match.end() + 25]
        near |= {_NATIONS[nation.lower()] for nation in _NATIONALITY.findall(around) if _is_nation(nation)}
    return sorted(near) or None


def _is_nation(word: str) -> bool:
    """`us` is a pronoun, and `US` a country."""
    return word.lower() != "us" or word == "US"


def _hotel(text: str) -> bool | None:
    if _NO_HOTEL.search(text):
        return False
    return True if _HOTEL.search(text) else None

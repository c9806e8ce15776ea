"""Reads how many travel, and with which passports."""

import re
from collections.abc import Sequence

from agents.travel.rules.dates import NUMBERS, number

_WORDS = "|".join(word for word in NUMBERS if word != "zero")
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_MANY = re.compile(
    rf"\b(\d{{1,3}}|{_WORDS})\s+(?:\w+\s+)?(?:people|persons?|travell?ers?|passengers?|pax|of us|seats?|tickets?)\b|"
    rf"\b(?:for|family of|group of|party of|make it|we are|we're)\s+(?:the\s+)?(\d{{1,2}}|{_WORDS})"
    rf"(?!\s*(?:-|nights?|days?|weeks?|months?|usd|dollars?|%|hours?|in\b|\d|(?:st|nd|rd|th)\b|[a-z]*\s*(?:{_MONTHS})))\b",
    re.IGNORECASE,
)
_IN_ALL = re.compile(rf"(?<![\d,.$€£])(?<!\$ )\b([1-9]|{_WORDS}) (?:in all|altogether)\b", re.IGNORECASE)
_EACH = re.compile(
    rf"\b(an?|\d{{1,2}}|{_WORDS})\s+(adults?|grown-?ups?|kids?|child(?:ren)?|infants?|bab(?:y|ies))\b",
    re.IGNORECASE,
)
_CHILDREN = re.compile(
    r"\b(?:kids?|child(?:ren)?|infants?|bab(?:y|ies)|family|sons?|daughters?|parents)\b", re.IGNORECASE
)
_OTHER = "wife|husband|spouse|partner|friend|girlfriend|boyfriend|colleague|mother|mum|mom|father|dad|brother|sister"
_PAIR = re.compile(
    rf"\b(?:my (?:{_OTHER}) and (?:i|me|myself)|(?:me|i|myself) and my (?:{_OTHER})|with my (?:{_OTHER})|"
    r"(?:the two|both) of us|a couple|one more)\b",
    re.IGNORECASE,
)
_BARE = re.compile(rf"^\W*([1-9]|{_WORDS})(?:\W+please)?\W*$", re.IGNORECASE)
_ALONE = re.compile(r"\b(?:alone|just me|by myself|solo)\b", re.IGNORECASE)
_NATIONS = {
    "german": "DE", "germany": "DE", "indian": "IN", "india": "IN", "american": "US", "us": "US", "usa": "US",
    "british": "GB", "uk": "GB", "gb": "GB", "english": "GB", "japanese": "JP", "japan": "JP", "portuguese": "PT",
    "portugal": "PT", "italian": "IT", "italy": "IT", "french": "FR", "france": "FR", "spanish": "ES", "spain": "ES",
    "austrian": "AT", "dutch": "NL", "polish": "PL", "swiss": "CH", "chinese": "CN", "canadian": "CA",
    "brazilian": "BR", "australian": "AU", "mexican": "MX",
}  # fmt: skip
_NATION = "|".join(sorted(_NATIONS, key=len, reverse=True))
_SEVERAL = (
    rf"(?<![\w-])((?:{_NATION})(?:(?:\s*,\s*|\s+(?:and|or|&)\s+)(?:an?\s+|one\s+)?(?:{_NATION}))*)(?![\w-])"
)
_PASSPORT = re.compile(
    rf"^\W*{_SEVERAL}\W*$|{_SEVERAL}\s+(?:passports?|citizens?|citizenship|nationals?|nationality)\b|"
    rf"\b(?:i am|i'm|we are|we're|(?:both|all) of us are)\s+(?:an?\s+|both\s+|all\s+)?{_SEVERAL}|"
    rf"\b(?:passports?|citizens?|citizenship|nationality)\s*(?:is|are|of|from|:)?\s*(?:the\s+)?{_SEVERAL}",
    re.IGNORECASE,
)
_ADJECTIVE = "|".join(
    word for word in _NATIONS if word.endswith(("an", "sh", "ese", "ch", "ss")) and word != "japan"
)
_BY_ITSELF = re.compile(
    rf"(?:^|[.,;!?\n])[ \t]*(?:both\s+|all\s+)?((?:{_ADJECTIVE})(?:\s+(?:and|&)\s+(?:{_ADJECTIVE}))*)"
    r"\s*(?:[.,;!?\n]|$)",
    re.IGNORECASE,
)
_SO_MANY = re.compile(
    rf"\b([2-9]|{_WORDS})\s+({_ADJECTIVE})(?:s\b|\s+(?:travell?ers|people|adults|persons|passengers|citizens)\b)",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    rf"\bmy (?:{_OTHER}|sons?|daughters?|kids?|child(?:ren)?|parents) (?:is|are|has|have)\s+(?:an?\s+)?{_SEVERAL}",
    re.IGNORECASE,
)
_ONE_NATION = re.compile(rf"(?<![\w-])({_NATION})(?![\w-])", re.IGNORECASE)
_CODES = re.compile(
    r"\bpassports?(?:\s+(?:of|from|are|is))?\s*:?\s*((?:[A-Z]{2}\b(?:\s*(?:,|and|&|/)\s*)?){1,9})"
)
_CODES_BEFORE = re.compile(r"\b([A-Z]{2}(?:(?:\s*[,&/]\s*|\s+and\s+)[A-Z]{2})*)\s+passports?\b")
_BARE_CODE = re.compile(r"^\W*([A-Z]{2})\W*$")
_US = re.compile(r"\bus (?:passports?|citizens?|nationals?)\b")
MOST = 9
TOO_MANY = f"I can look for trips of up to {MOST} travellers: please ask the travel desk for larger groups."
HOW_MANY = "How many travel in all, children included?"


def read_travellers(text: str) -> tuple[int | None, str | None]:
    """How many travel, and what is unclear about it: children that are named beside others have to be counted."""
    each = list(_EACH.finditer(text))
    match = _MANY.search(text) or _IN_ALL.search(text) or _SO_MANY.search(text) or _BARE.match(text)
    if match:
        many = number(next(group for group in match.groups() if group))
        return (None, TOO_MANY) if many > MOST else (many or None, None)
    if each and any(one[2].lower().startswith(("adult", "grown")) for one in each):
        many = sum(number(one[1]) for one in each)
        return (None, TOO_MANY) if many > MOST else (many or None, None)
    if _CHILDREN.search(text):
        return None, HOW_MANY
    if _PAIR.search(text):
        return 2, None
    return (1, None) if _ALONE.search(text) else (None, None)


def read_passports(text: str, known: Sequence[str] = ()) -> list[str] | None:
    """Countries of the passports that are named, as two letters; somebody else's come beside those that are known."""
    codes = _CODES.search(text)
    if codes:
        return sorted(set(re.findall(r"[A-Z]{2}", codes[1])))
    before = _CODES_BEFORE.search(text)
    found = set(re.findall(r"[A-Z]{2}", before[1])) if before else set[str]()
    bare = _BARE_CODE.match(text)
    if bare and bare[1] not in ("OK", "NO", "HI", "GO", "ME"):
        found.add(bare[1])
    for match in _PASSPORT.finditer(text):
        named = _ONE_NATION.findall(next(group for group in match.groups() if group))
        # `us` is a pronoun, and `US` a country.
        found |= {_NATIONS[nation.lower()] for nation in named if nation != "us" or _US.search(match[0])}
    for match in [*_BY_ITSELF.finditer(text), *_SO_MANY.finditer(text)]:
        found |= {_NATIONS[nation.lower()] for nation in _ONE_NATION.findall(match[match.re.groups])}
    others = {
        _NATIONS[nation.lower()]
        for match in _ANOTHER.finditer(text)
        for nation in _ONE_NATION.findall(match[1])
    }
    if others:
        found |= {*others, *known}
    return sorted(found) or None

"""Finds the order number in a message: never a price, a year, a date, a phone number or a ZIP code."""

import re

from agents.support.rules.spelling import concept_of, respell

# "#W2611340", "W2611340": a form that nothing else has.
_LETTERED = re.compile(r"(?<![A-Za-z0-9])#?([Ww][0-9]{7})(?![A-Za-z0-9])")
_NUMBER = re.compile(
    r"(?<![A-Za-z0-9.,/+$€£-])(?<![$€£+] )(#?)([0-9]{4,15})"
    r"(?![A-Za-z0-9$€£%]|[.,/:-][0-9]|[ ]?[€$£]|-[A-Za-z])"
)
_GLUED = re.compile(r"(?i)\b(order|purchase|no|nr|number)[.:_]?(?=#?[0-9]{4})")
_UNIT = re.compile(
    r"(?i)\s*(?:(?:dollars?|usd|euros?|eur|gbp|bucks|pounds?|cents?|pcs|pieces|units|items|times|am|pm)\b|%)"
)
_CURRENCY_BEFORE = re.compile(
    r"(?i)(?:\b(?:usd|eur|gbp|us|price of|(?:cost|costs|paid|owe)(?: me| us| you)?|worth|for)|[$€£])\s*$"
)
# Words between "order" and its number that don't part them.
_FILLER = """
number no nr num id ref reference code is was my the it its for of with
"""
_OTHERS = """
invoice invoices bill bills ticket case
article model item sku serial zip zipcode postcode postal code tracking
card account iban phone tel telephone mobile cell call text whatsapp fax dial at year since in from until
by
"""
_DATE = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])$")
_YEAR = re.compile(r"(?:19|20)[0-9]{2}$")
_PHONE = re.compile(r"0[1-9][0-9]{8,9}$")
_PHONE_LENGTHS = range(9, 12)  # with no word beside it, a number this long is as likely a phone's


def find_order_id(text: str) -> str | None:
    """Without "#", in capitals; the first number called an order's, else the first that can be one."""
    text = _GLUED.sub(r"\1 ", text)
    lettered = _LETTERED.search(text)
    if lettered:
        return lettered[1].upper()
    likely: str | None = None
    for match in _NUMBER.finditer(text):
        standing = _standing(text, match)
        if standing == "named":
            return match[2]
        if standing == "bare" and likely is None:
            likely = match[2]
    return likely


def find_order_ids(text: str) -> list[str]:
    """All that are called an order's or can be one, in order of appearance, each once."""
    text = _GLUED.sub(r"\1 ", text)
    found = [(match.start(), match[1].upper()) for match in _LETTERED.finditer(text)]
    found += [(match.start(), match[2]) for match in _NUMBER.finditer(text) if _standing(text, match)]
    return list(dict.fromkeys(number for _, number in sorted(found)))


def _standing(text: str, match: re.Match[str]) -> str:
    """ "named" (called an order, or "#"), "bare" (could be one) or "" (something else)."""
    digits, before = match[2], text[max(0, match.start() - 60) : match.start()]
    if _UNIT.match(text, match.end()):
        return ""
    words = [respell(word) for word in re.findall(r"[a-z]+", before.lower())[-5:]]
    marked = match[1] == "#" or words[-1:] in (["number"], ["no"], ["nr"], ["id"])
    near = _nearest_noun(words)
    if near == "order" and (marked or not _YEAR.match(digits)):
        return "named"
    if near == "other" or _CURRENCY_BEFORE.search(before):
        return ""
    if match[1] == "#":
        return "named"
    return "bare" if _can_be_one(digits, alone=text.strip(" .!\n") == digits) else ""


def _nearest_noun(words: list[str]) -> str:
    """What the words before a number call it, read backwards over fillers: "order", "other" or ""."""
    for word in reversed(words):
        if concept_of().get(word) == "ORDER":
            return "order"
        if word in _OTHERS.split():
            return "other"
        if word not in _FILLER.split():
            return ""
    return ""


def _can_be_one(digits: str, *, alone: bool) -> bool:
    if _DATE.match(digits) or _YEAR.match(digits) or _PHONE.match(digits):
        return False
    return alone or (len(digits) > 4 and len(digits) not in _PHONE_LENGTHS)

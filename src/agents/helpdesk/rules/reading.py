"""What a customer's message asks for, by its words: English, and only what the helpdesk's tools can do."""

import re
from dataclasses import dataclass

_ORDER = re.compile(r"(?<![\w$€£.,])#?([A-Z]{1,3}\d{4,15}|\d{4,15})(?![\w%]|[.,]\d)", re.IGNORECASE)
_AMOUNT = re.compile(
    r"(?:US)?[$]\s?(\d[\d,]*(?:\.\d{1,2})?)|(?<![\d,])(\d[\d,]*(?:\.\d{1,2})?)\s?(?:usd|dollars?)\b",
    re.IGNORECASE,
)
_PERSON = re.compile(
    r"\b(human|person|agent|colleague|representative|manager|supervisor|someone real|escalate)\b"
)
_REFUND = re.compile(r"\b(refund(ed|s)?|money back|reimburse\w*|want my money)\b")
_HOW = re.compile(
    r"^\s*(how (do|does|long|can|is|are|many)|what is your|when do|where (do|can)|do you|can i)\b"
)
_VAT = re.compile(r"\b(vat|gst|mwst|sales tax|tax(es)?)\b")
_PRICE = re.compile(r"\b(price|prices|cost|costs|how much (is|are|does|do)|in stock|on stock)\b")
_COUNTRY = re.compile(
    r"\b(usa|u\.s\.a?\.?|united states|uk|u\.k\.|united kingdom|great britain|england|germany|deutschland|india|"
    r"france|spain|italy|austria|switzerland|japan|canada|australia|netherlands|belgium|poland|sweden|brazil|mexico)(?!\w)"
)
_US = re.compile(r"\bUS\b")
_FILLER = re.compile(
    r"\b(what|is|are|the|a|an|of|for|how|much|does|do|cost|costs|price|prices|and|in|on|stock|please|tell|me|you|your|"
    r"it|its|check|can|could|i|would|like|to|know|have|hi|hello|current|today|now|any|sell|there|with|still|long|take|takes|when|where|why|will|my|get|be|by)\b|[^\w\s'-]",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Wishes:
    """What a message asks for; several at once are possible."""

    orders: tuple[str, ...]
    refund: bool
    person: bool
    vat: tuple[float, str] | None
    product: str
    question: bool


def wishes_of(text: str) -> Wishes:
    """The wishes in a message, by its words."""
    low = text.casefold()
    orders = tuple(dict.fromkeys(match.upper() for match in _ORDER.findall(text)))
    refund = bool(_REFUND.search(low)) and (bool(orders) or not _HOW.search(low))
    vat = _vat(text, low)
    product = words_of(text) if _PRICE.search(low) and not vat and not orders else ""
    nothing_else = not (orders or refund or vat or product)
    person = bool(_PERSON.search(low))
    return Wishes(orders, refund, person, vat, product, question=nothing_else and not person)


def _vat(text: str, low: str) -> tuple[float, str] | None:
    amount = _AMOUNT.search(text)
    if not (_VAT.search(low) and amount):
        return None
    country = _COUNTRY.search(low) or _US.search(text)
    return float((amount[1] or amount[2]).replace(",", "")), country.group() if country else "other"


def words_of(text: str) -> str:
    """The words that say what it is about."""
    return " ".join(_FILLER.sub(" ", text).split())[:120]

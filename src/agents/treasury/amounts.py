"""Numbers in a requester's words: each is understood wholly or said to be unclear, and none is read in part.

What stands round a number decides: `$5 million`, `$12k`, `1.250.000`, `12 500` all begin with a number that is not
meant. So only what is known to lead up to a number, and on from it, may stand there; whatever else does is asked about.
"""

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

_BLOB = re.compile(r"\d+(?:[^\w\s]?\d+)*")
_BLANKS = re.compile(r"\s+")
_ROUND = 80
"""Characters that are looked at on either side of a number."""
_CLEAR = re.compile(r"(?:0|[1-9][0-9]{0,2}(?:,[0-9]{3})+|[1-9][0-9]*)(?:\.[0-9]{1,2})?")
_CODES = "USD|EUR|GBP|CHF|JPY"
_MARK = re.compile(rf"(?:\b(?:USD\s*|US\s?))?\$|[€£¥]|\b(?:{_CODES})\b\s", re.IGNORECASE)
_MARKED = re.compile(
    rf"(?:(?P<mark>{_MARK.pattern})|(?P<code>\b(?:{_CODES})))\s*(?P<odd>[^\w\s]{{0,2}})\s*$", re.IGNORECASE
)
_UNIT = re.compile(
    rf"\s*(?P<unit>[$€£¥]|(?:{_CODES}|(?:US )?dollars?|euros?|pounds?)\b)(?!\s*\d|[A-Za-z])", re.IGNORECASE
)
_NEXT = re.compile(r"""(?P<stop>[)\]"'”]*[,;:.!?]?[)\]"'”]*)(?P<blank>\s*)(?P<rest>.*)""", re.DOTALL)
_RANGE = re.compile(r"\s*(?:[$€£¥]\s*)?\d")
_WORD = re.compile(r"""[(\["'$#]*([^\W\d_]+)""")
_CURRENCIES = {
    "$": "USD", "us$": "USD", "usd$": "USD", "usdollar": "USD", "usdollars": "USD", "dollar": "USD", "dollars": "USD",
    "€": "EUR", "euro": "EUR", "euros": "EUR", "£": "GBP", "pound": "GBP", "pounds": "GBP", "¥": "JPY",
}  # fmt: skip
_BEFORE = frozenset({
    "pay", "paid", "send", "sends", "transfer", "wire", "remit", "settle", "buy", "sell", "payment", "payments",
    "for", "is", "amount", "total", "exactly", "only", "a", "an", "us", "to", "the", "them", "him",
    "her",
})  # fmt: skip
_SUMS = frozenset({"payment", "payments", "amount", "sum", "total", "transfer", "wire"})
_AFTER = frozenset({
    "to", "for", "from", "into", "on", "onto", "by", "via", "at", "against", "under", "please", "now",
    "today", "tomorrow", "due", "payable", "account", "acct", "iban", "ref", "reference", "invoice", "inv", "payee",
    "beneficiary",
})  # fmt: skip
_SCALES = frozenset({
    "hundred", "thousand", "million", "billion", "trillion", "mio", "mrd", "lakh", "crore", "dozen",
})  # fmt: skip
"""No rule of its own: a capital letter is as good as a known word but for these."""


@dataclass(frozen=True)
class Number:
    """A number as it is written; `value` is None where that can't be told. `currency` is what marks it as money."""

    written: str
    value: float | None
    currency: str | None


def numbers(text: str, leads_on: Set[str] = frozenset()) -> list[Number]:
    """All numbers of a text; `leads_on` are words (casefolded) that may follow one besides the usual ones."""
    return list(_numbers(text, _AFTER | leads_on))


def amounts(text: str) -> list[Number]:
    """The numbers that a currency marks as money."""
    return [number for number in numbers(text) if number.currency]


def _numbers(text: str, after: Set[str]) -> Iterator[Number]:
    text = _BLANKS.sub(lambda blanks: "\n" if "\n" in blanks[0] else " ", text)
    for blob in _BLOB.finditer(text):
        before, behind = text[max(blob.start() - _ROUND, 0) : blob.start()], text[blob.end() :][:_ROUND]
        mark, unit = _MARKED.search(before), _UNIT.match(behind)
        sign = before[mark.start() :] if mark else ""
        follows = behind[unit.end() :] if unit else behind
        currencies = {_currency(mark["mark"] or mark["code"])} if mark else set[str]()
        currencies |= {_currency(unit["unit"])} if unit else set()
        clear = (
            _CLEAR.fullmatch(blob[0]) is not None
            and len(currencies) < 2
            and not (mark and mark["odd"])
            and _leads_up(before[: len(before) - len(sign)])
            and _leads_on(follows, after)
        )
        value = float(blob[0].replace(",", "")) if clear else None
        following = re.match(r"\S*(?: \S+)?", follows)
        written = f"{sign}{blob[0]}{unit[0] if unit else ''}{following[0] if following else ''}"[:40].strip()
        yield Number(written, value, min(currencies, default=None))


def _leads_up(before: str) -> bool:
    """Whether a number may begin behind this."""
    if not before.strip():
        return True
    if not before[-1].isspace():
        return before[-1] in "(:=\"'“"
    last = before.split()[-1].lstrip("(\"'“")
    if not last or last[-1] in ",;:.!?()=\"'”":
        return True
    if not last[-1].isalpha():
        return False
    if last.casefold() == "of":  # "a total of", not "half of"
        return before.split()[-2:-1] != [] and before.split()[-2].casefold() in _SUMS
    return last.casefold() in _BEFORE or (last[0].isupper() and last.casefold() not in _SCALES)


def _leads_on(behind: str, after: Set[str]) -> bool:
    """Whether a number may end before this: at an end, or at a word that is known to lead on."""
    found = _NEXT.match(behind)
    assert found is not None, "all its parts may be empty"
    stop, blank, rest = found["stop"], found["blank"], found["rest"]
    if not rest:
        return True
    if not blank and not rest.startswith("("):
        return False
    word = _WORD.match(rest)
    if word is None:
        return False
    if word[1].casefold() in after:
        return not (word[1].casefold() == "to" and _RANGE.match(rest[word.end() :]))
    ends = "\n" in blank or any(sign in stop for sign in ".!?")
    return ends and word[1][0].isupper() and word[1].casefold() not in _SCALES


def _currency(written: str) -> str:
    unit = "".join(written.split()).casefold()
    return _CURRENCIES.get(unit, unit.upper())

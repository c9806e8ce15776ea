"""Personal data by rules: what has a form that can be checked. Names and addresses in running text have none.

All patterns are bounded, so that no text takes longer than in proportion to its length.
"""

import re
from collections.abc import Iterator

from agents.document_review.finding import Span, apart
from agents.shared.figures import passes_luhn

_EMAIL = re.compile(r"(?<![\w.%+-])[\w.%+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,4}(?![\w-])")
_IBAN = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}")
_CARD = re.compile(r"(?<![\d-])\d(?:[ -]?\d){12,18}(?![\d-])")
_SSN = re.compile(r"(?<![\d-])(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])")
_IP = re.compile(r"(?<![\d.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\d.]*\d)")
_PHONES = (
    re.compile(r"(?<![\w+])\+\d[\d ()./-]{6,24}\d(?!\w)"),
    re.compile(r"(?<![\w(-])(?:\(\d{3}\) ?|\d{3}[-.])\d{3}[-.]\d{4}(?![\w-])"),
    re.compile(
        r"(?i)\b(?:phone|tel|telephone|mobile|fax|call)\b[ .:]{0,3}(?P<value>\d[\d ()/-]{5,18}\d)(?!\w)"
    ),
)
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}"
_BORN = re.compile(
    rf"(?i)\b(?:born(?: on)?|date of birth|dob|birthday)[ :]{{0,3}}"
    rf"(?P<value>\d{{1,4}}[./-]\d{{1,2}}[./-]\d{{1,4}}|\d{{1,2}}\.? {_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}},? \d{{4}})"
)
_PASSPORT = re.compile(r"(?i:\bpassport(?: (?:no\.?|number))?[ :]{0,3})(?P<value>[A-Z]{0,2}\d{6,9})\b")
_IBAN_LENGTHS = {
    "AT": 20, "BE": 16, "CH": 21, "CZ": 24, "DE": 22, "DK": 18, "ES": 24, "FI": 18, "FR": 27, "GB": 22, "IE": 22,
    "IT": 27, "LU": 20, "NL": 18, "NO": 15, "PL": 28, "PT": 25, "SE": 24,
}  # fmt: skip


def spans(text: str) -> list[Span]:
    """Personal data in a text, in order, none over another."""
    return apart([*_accounts(text), *_cards(text), *_plain(text), *_phones(text)])


def _plain(text: str) -> Iterator[Span]:
    for match in _EMAIL.finditer(text):
        name, _, host = match[0].partition("@")
        yield Span("email", "medium", *match.span(), f"{name[0]}***@{host}")
    for match in _SSN.finditer(text):
        yield Span("social_security_number", "high", *match.span(), f"***-**-{match[0][-4:]}")
    for match in _IP.finditer(text):
        yield Span("ip_address", "low", *match.span(), f"{match[0].partition('.')[0]}.*.*.*")
    for match in _BORN.finditer(text):
        yield Span("date_of_birth", "medium", *match.span("value"), "**.**.****")
    for match in _PASSPORT.finditer(text):
        yield Span("passport_number", "high", *match.span("value"), f"***{match['value'][-2:]}")


def _accounts(text: str) -> Iterator[Span]:
    for match in _IBAN.finditer(text):
        length = _IBAN_LENGTHS.get(match[0][:2])
        found = _first_characters(match[0], length) if length else match[0].rstrip()
        letters = (found or "").replace(" ", "")
        if found and _adds_up(letters):
            span = match.start(), match.start() + len(found)
            yield Span("iban", "high", *span, f"{letters[:2]}** **** {letters[-4:]}")


def _cards(text: str) -> Iterator[Span]:
    for match in _CARD.finditer(text):
        digits = re.sub(r"\D", "", match[0])
        if digits[0] in "3456" and passes_luhn(digits):
            yield Span("card_number", "high", *match.span(), f"**** **** **** {digits[-4:]}")


def _phones(text: str) -> Iterator[Span]:
    for pattern in _PHONES:
        for match in pattern.finditer(text):
            group = "value" if "value" in pattern.groupindex else 0
            digits = re.sub(r"\D", "", match[group])
            if 7 <= len(digits) <= 15:
                yield Span("phone_number", "medium", *match.span(group), f"*** *** {digits[-2:]}")


def _first_characters(text: str, count: int) -> str | None:
    """The beginning of a text that holds so many characters besides spaces; None if it has fewer."""
    seen = 0
    for at, character in enumerate(text):
        seen += character != " "
        if seen == count:
            return text[: at + 1]
    return None


def _adds_up(iban: str) -> bool:
    """ISO 13616: the number that its letters and digits make is 1 modulo 97."""
    return int("".join(str(int(character, 36)) for character in iban[4:] + iban[:4])) % 97 == 1

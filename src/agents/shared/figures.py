"""Numbers as they stand in a text: which there are, and which may be those of cards. Pure."""

import re
from collections.abc import Iterable, Iterator

_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_CARD = re.compile(r"(?<!\d)(?:\d[ -]?){13,19}(?!\d)")
SHORTEST_CARD = 13


def numbers_in(texts: Iterable[str]) -> set[float]:
    """All numbers, commas between thousands left out: a model may name no other than those that it was told."""
    return {as_number(match.group()) for text in texts for match in _NUMBER.finditer(text)}


def as_number(text: str) -> float:
    """A number as `numbers_in` finds one: "1,250.50" is 1250.5."""
    return float(text.replace(",", "").rstrip(".") or 0)


def cards_in(text: str) -> Iterator[re.Match[str]]:
    """Where the number of a card may stand: 13 to 19 digits, in groups or not, that pass the check of all cards."""
    return (match for match in _CARD.finditer(text) if passes_luhn(match.group()))


def passes_luhn(text: str) -> bool:
    """Whether the digits in a text are as many as a card's and pass Luhn's check."""
    digits = [int(character) for character in text if character.isdigit()]
    doubled = [
        digit * 2 - 9 * (digit > 4) if place % 2 else digit for place, digit in enumerate(reversed(digits))
    ]
    return len(digits) >= SHORTEST_CARD and sum(doubled) % 10 == 0

"""Which JSON values servers and their databases keep as they were sent; every other one with its place. Pure.

Python reads more from JSON than others take: NaN, whole numbers of any length, NUL, halves of surrogate pairs. Sent
all the same, some are refused, and some are kept as something else.
"""

import math
from collections.abc import Iterator, Mapping

Place = tuple[int | str, ...]
LEAST, MOST = -(2**63), 2**63 - 1


def unkeepable(value: object) -> Iterator[tuple[Place, str]]:
    """Places, outermost first, each with what is wrong there and what to write; however deep the value is."""
    waiting: list[tuple[Place, object]] = [((), value)]
    while waiting:
        later: list[tuple[Place, object]] = []
        for place, each in waiting:
            if said := wrong_with(each):
                yield place, said
            elif isinstance(each, Mapping):
                for key, inner in each.items():
                    if unkeepable_text(str(key)):
                        yield place, f"has a key that {_TEXT}"
                    else:
                        later.append(((*place, str(key)), inner))
            elif isinstance(each, list | tuple):
                later += [((*place, number), inner) for number, inner in enumerate(each)]
        waiting = later


def unkeepable_text(text: str) -> bool:
    """Whether it has a NUL, which databases refuse, or half of a surrogate pair, which is no UTF-8."""
    return "\0" in text or any("\ud800" <= letter <= "\udfff" for letter in text)


_TEXT = "holds characters that can't be kept (NUL, or half of a surrogate pair): take them out"


def wrong_with(value: object) -> str | None:
    """What is wrong with a text or a number, and what to write; nothing of what it holds."""
    match value:
        case str() if unkeepable_text(value):
            return _TEXT
        case float() if not math.isfinite(value):
            return "is no finite number, and JSON has no other: write one"
        case int() if not LEAST <= value <= MOST:
            return "is a number of more than 64 bits: write a smaller one, or a text in quotes"
        case _:
            return None

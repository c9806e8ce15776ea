"""Whether a JSON value reaches the graph as it is. The server's JSON turns NaN into null, and knows 64-bit integers."""

import math
from typing import Any

from stationmaster.reviews.errors import AnswerRefused
from stationmaster.reviews.shapes.text import one_line

MAX_DEPTH = 200
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1


def require_sendable(value: Any, name: str = "") -> None:
    """Raise AnswerRefused for the first thing that would be changed or refused on the way."""
    stack = [(value, name, 0)]
    while stack:
        item, path, depth = stack.pop()
        if problem := _problem(item, depth):
            raise AnswerRefused({one_line(path): problem})
        if isinstance(item, dict):
            stack.extend((inner, _below(path, str(key)), depth + 1) for key, inner in item.items())
        elif isinstance(item, list):
            stack.extend((inner, _below(path, str(number)), depth + 1) for number, inner in enumerate(item))


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def _problem(value: Any, depth: int) -> str | None:
    match value:
        case None | bool():
            return None
        case int():
            return (
                None
                if _SMALLEST <= value <= _LARGEST
                else "is an integer of more than 64 bits; send it as text"
            )
        case float():
            return None if math.isfinite(value) else "is not a number that JSON has (NaN or infinity)"
        case str():
            return None if _encodes(value) else "holds half a character (a lone surrogate); write it again"
        case dict() | list():
            if depth >= MAX_DEPTH:
                return f"is nested more than {MAX_DEPTH} levels deep; flatten it"
            keys = value if isinstance(value, dict) else ()
            return (
                None
                if all(isinstance(key, str) and _encodes(key) for key in keys)
                else "has a key that is no text"
            )
        case _:
            return f"is a {type(value).__name__}, which is not JSON"


def _encodes(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True

"""Text for people from whatever a payload holds: one safe line, a safe block, JSON of any depth. Never raises."""

import json
import math
import unicodedata
from collections.abc import Iterator
from typing import Any

TITLE_LIMIT = 200
BODY_LIMIT = 20_000
_JOINERS = "\u200c\u200d"  # Persian and emoji need them; every other invisible character goes
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_ACRONYMS = {"usd": "USD", "eur": "EUR", "id": "ID", "url": "URL", "iban": "IBAN", "vat": "VAT"}


def one_line(text: str, limit: int = TITLE_LIMIT) -> str:
    """The text on one line of at most `limit` characters: no control characters, no bidi overrides."""
    kept = text[: limit * 8]
    shown = "".join(" " if character.isspace() else _visible(character) for character in kept)
    line = " ".join(shown.split())
    cut = len(line) > limit or len(kept) < len(text)
    return line[: limit - 1].rstrip() + "…" if cut else line


def first_line(text: str, limit: int = TITLE_LIMIT) -> str:
    """The first line that says something, without markdown's heading marks."""
    for line in text[: limit * 40].splitlines():
        if said := one_line(line.strip(" \t#*>-"), limit):
            return said
    return ""


def block(text: str, limit: int = BODY_LIMIT) -> str:
    """The text with its line breaks, without what can't be seen; cut, and then says so, above `limit`."""
    cleaned = "".join(c if c in "\n\t" else _visible(c) for c in text[:limit])
    if len(text) <= limit:
        return cleaned
    return f"{cleaned}…\n\n({len(text):,} characters; the rest is in the payload)"


def _visible(character: str) -> str:
    category = unicodedata.category(character)
    if category not in _INVISIBLE or character in _JOINERS:
        return character
    return " " if category in ("Zl", "Zp") else "\ufffd" if category == "Cs" else ""


def short_json(value: Any, limit: int = TITLE_LIMIT) -> str:
    """The value as JSON on one line; of a large or deep one only the beginning is walked."""
    said, length = [], 0
    for piece in _pieces(value, limit * 8):
        said.append(piece)
        length += len(piece)
        if length > limit * 8:
            break
    return one_line("".join(said), limit)


def _pieces(value: Any, longest: int) -> Iterator[str]:
    """JSON piece by piece, with a stack of our own: no depth is too deep."""
    stack: list[Any] = [iter([_scalar_or(value, longest)])]
    while stack:
        piece = next(stack[-1], None)
        if piece is None:
            stack.pop()
        elif isinstance(piece, str):
            yield piece
        else:
            stack.append(_inside(piece, longest))


def _inside(value: dict[Any, Any] | list[Any] | tuple[Any, ...], longest: int) -> Iterator[Any]:
    if isinstance(value, dict):
        yield "{"
        for number, (key, item) in enumerate(value.items()):
            yield f"{', ' if number else ''}{_scalar(str(key), longest)}: "
            yield _scalar_or(item, longest)
        yield "}"
    else:
        yield "["
        for number, item in enumerate(value):
            if number:
                yield ", "
            yield _scalar_or(item, longest)
        yield "]"


def _scalar_or(value: Any, longest: int) -> Any:
    return value if isinstance(value, dict | list | tuple) else _scalar(value, longest)


def _scalar(value: Any, longest: int) -> str:
    if isinstance(value, str):
        return json.dumps(value[:longest], ensure_ascii=False)
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > longest:
        return f"(an integer of {value.bit_length():,} bits)"  # its decimal digits take long, or are refused
    if value is None or isinstance(value, bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return json.dumps(value)
    return one_line(str(value))


def humanised(name: str) -> str:
    """A key as a label: amount_usd -> Amount USD, orderId -> Order ID."""
    spaced = "".join(
        f" {c}" if c.isupper() and b.islower() else c for b, c in zip(" " + name, name, strict=False)
    )
    words = one_line(spaced.replace("_", " ").replace("-", " "), 80).split()
    said = [_ACRONYMS.get(word.lower(), word if word.isupper() else word.lower()) for word in words]
    line = " ".join(said)
    return line[:1].upper() + line[1:] or name[:80]


def listed(words: Any, limit: int = 12) -> str:
    """A few values in a row, for a message."""
    shown = [one_line(word, 60) if isinstance(word, str) else short_json(word, 60) for word in words]
    return ", ".join(shown[:limit]) + (f" and {len(shown) - limit} more" if len(shown) > limit else "")

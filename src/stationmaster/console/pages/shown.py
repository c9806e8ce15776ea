"""JSON values as people read them: pairs, tables, messages, text; what is too deep or long is folded. Pure."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from stationmaster.console.pages.words import money
from stationmaster.reviews import json_text

MAX_DEPTH = 4
MAX_ENTRIES = 40
MAX_COLUMNS = 6
LONG_TEXT = 1_200
MAX_TEXT = 20_000
MAX_JSON = 20_000
# What stands under these, or under the name of a file, is read by its columns.
CODE = frozenset({"code", "diff", "log", "patch", "sql", "stderr", "stdout", "tests", "traceback"})
_FILE = re.compile(r"[^\s.][^\s]*\.[A-Za-z]\w{0,7}")

Kind = Literal["scalar", "text", "pairs", "table", "messages", "list", "json"]
_ROLES = {
    "human": "Customer",
    "user": "Customer",
    "ai": "Agent",
    "assistant": "Agent",
    "tool": "Tool",
    "system": "System",
}


@dataclass(frozen=True)
class Shown:
    """A value for the templates. Which fields count depends on `kind`; `wide` ones take a line of their own."""

    kind: Kind
    text: str = ""
    type: str = ""
    rest: str = ""
    size: str = ""
    items: tuple[Any, ...] = ()
    columns: tuple["Column", ...] = ()
    rows: tuple[tuple["Shown", ...], ...] = ()
    summary: str = ""
    cut: bool = False
    code: bool = False

    @property
    def wide(self) -> bool:
        return self.kind != "scalar" or len(self.text) > 60


@dataclass(frozen=True)
class Pair:
    key: str
    label: str
    shown: Shown


@dataclass(frozen=True)
class Column:
    label: str
    numeric: bool


@dataclass(frozen=True)
class Call:
    name: str
    shown: Shown


@dataclass(frozen=True)
class Message:
    role: str
    role_label: str
    body: Shown | None
    calls: tuple[Call, ...] = ()


def label(key: str) -> str:
    """`amount_usd` as `Amount (USD)`, `orderId` and `test_it.py` untouched: only what is surely a word separator is
    replaced."""
    words = key.removesuffix("_usd").replace("_", " ").strip()
    if not words or len(words) > 60 or _FILE.fullmatch(key):
        return key[:60]
    return words[0].upper() + words[1:] + (" (USD)" if key.endswith("_usd") else "")


def size(characters: int) -> str:
    """`312 characters`, `48 kB`, `2.4 MB`."""
    if characters < 1_000:
        return f"{characters} characters"
    return f"{characters / 1_000:.0f} kB" if characters < 1_000_000 else f"{characters / 1_000_000:.1f} MB"


def as_json(value: Any) -> str:
    """Indented JSON text, readable beyond ASCII; what no text can hold is escaped."""
    text = json_text.write(value, indent=2, ensure_ascii=False)
    return text if text.isprintable() else "".join(_visible(character) for character in text)


def _visible(character: str) -> str:
    """Control characters, lone surrogates and marks that turn the direction of text, as their escapes."""
    if character == "\n" or character.isprintable():
        return character
    return f"\\u{ord(character):04x}" if ord(character) < 0x10000 else character


def shown(value: Any, key: str = "", depth: int = 0) -> Shown:
    """The value in the plainest form that holds it."""
    if isinstance(value, str):
        return _text(value, code=key in CODE or bool(_FILE.fullmatch(key)))
    if isinstance(value, Mapping):
        return _mapping(value, depth)
    if isinstance(value, Sequence):
        return _sequence(value, depth)
    return _scalar(value, key)


def _scalar(value: Any, key: str = "") -> Shown:
    if value is None:
        return Shown("scalar", "none", "null")
    if isinstance(value, bool):
        return Shown("scalar", "yes" if value else "no", "boolean")
    if key.endswith("_usd") and isinstance(value, int | float):
        return Shown("scalar", money(value), "number")
    return Shown("scalar", json.dumps(value), "number")


def _text(value: str, *, code: bool = False) -> Shown:
    if "\n" not in value and len(value) <= 160:
        return Shown("scalar", value or "(empty)", "string" if value else "null", code=code and bool(value))
    head, rest = value, ""
    if len(value) > LONG_TEXT:
        head, rest = value[:LONG_TEXT], value[LONG_TEXT:MAX_TEXT]
    return Shown("text", head, "string", rest=rest, size=size(len(value)), code=code)


def _mapping(value: Mapping[str, Any], depth: int) -> Shown:
    if not value:
        return Shown("scalar", "(empty)", "null")
    if depth >= MAX_DEPTH or len(value) > MAX_ENTRIES:
        return folded(value)
    pairs = tuple(
        Pair(str(key), label(str(key)), shown(item, str(key), depth + 1)) for key, item in value.items()
    )
    return Shown("pairs", items=pairs)


def _sequence(value: Sequence[Any], depth: int) -> Shown:
    if not value:
        return Shown("scalar", "(none)", "null")
    if depth >= MAX_DEPTH or len(value) > MAX_ENTRIES:
        return folded(value)
    if all(_is_message(item) for item in value):
        return Shown("messages", items=tuple(message(item) for item in value))
    if columns := _columns(value):
        rows = tuple(tuple(shown(row.get(key), key) for key in columns) for row in value)
        kinds = [any(row[index].type == "number" for row in rows) for index in range(len(columns))]
        return Shown("table", columns=tuple(map(Column, map(label, columns), kinds)), rows=rows)
    return Shown("list", items=tuple(shown(item, "", depth + 1) for item in value))


def _columns(value: Sequence[Any]) -> tuple[str, ...]:
    """The columns of a list of alike, flat objects; none if it is no such list."""
    if not all(isinstance(item, Mapping) and item for item in value):
        return ()
    keys = tuple(dict.fromkeys(key for item in value for key in item))
    flat = all(
        item is None or isinstance(item, bool | int | float) or (isinstance(item, str) and len(item) <= 80)
        for row in value
        for item in row.values()
    )
    return keys if flat and len(keys) <= MAX_COLUMNS and len(value) > 1 else ()


def folded(value: Any) -> Shown:
    """The value as JSON behind a line that says how much it is."""
    count = len(value) if isinstance(value, Mapping | list | tuple) else 1
    what = "1 entry" if count == 1 else f"{count} entries"
    text = as_json(value)
    return Shown(
        "json", text[:MAX_JSON], summary=f"{what}, {size(len(text))} of JSON", cut=len(text) > MAX_JSON
    )


def _is_message(item: Any) -> bool:
    return (
        isinstance(item, Mapping)
        and str(item.get("type", item.get("role"))) in _ROLES
        and isinstance(item.get("content"), str | list)
    )


def message(item: Mapping[str, Any]) -> Message:
    """A chat message, in either of the two dialects."""
    role = str(item.get("type", item.get("role")))
    content = item["content"]
    if not isinstance(content, str):
        parts = [part.get("text", "") if isinstance(part, Mapping) else str(part) for part in content]
        content = "\n".join(part for part in parts if isinstance(part, str) and part)
    calls = item.get("tool_calls")
    found = [call for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    made = tuple(Call(str(call.get("name", "call")), shown(call.get("args"), depth=2)) for call in found)
    return Message(role, _ROLES[role], _text(content) if content else None, made)

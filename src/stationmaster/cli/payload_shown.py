"""What an agent asks or is answered, as labelled lines; what is too deep for that is JSON on one line."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from stationmaster.cli.terminal import harmless
from stationmaster.reviews import json_text

MAX_LINES = 60
MAX_DEPTH = 3
INDENT = 2
LONGEST_ITEM = 100
LONGEST_LINE = 2_000
USD = "_usd"


def payload_shown(value: Any) -> RenderableType:
    """`label: value` for each key; texts of several lines stand below theirs. `--json` has all of it."""
    rows = list(_rows(value, 0))
    more = len(rows) - MAX_LINES
    shown: list[RenderableType] = [
        Padding(text, (0, 0, 0, depth * INDENT), expand=False) for depth, text in rows[:MAX_LINES]
    ]
    if more > 0:
        shown.append(Text(f"... {more} lines more: --json shows all", style="dim"))
    return Group(*shown)


def _rows(value: Any, depth: int) -> Iterator[tuple[int, Text]]:
    if isinstance(value, Mapping) and value and depth <= MAX_DEPTH:
        for key, inner in value.items():
            yield from _labelled(Text(f"{_name(key)}:", style="dim"), _money(key, inner), depth)
    elif isinstance(value, list) and value and depth <= MAX_DEPTH:
        for inner in value:
            yield from _labelled(Text("-", style="dim"), _flat(inner), depth)
    else:
        yield from ((depth, Text(line)) for line in _said(value))


def _labelled(label: Text, value: Any, depth: int) -> Iterator[tuple[int, Text]]:
    """On one line with its label, or below it."""
    below = list(_rows(value, depth + 1))
    nested = isinstance(value, Mapping | list) and bool(value) and depth < MAX_DEPTH
    if len(below) == 1 and not nested:
        yield depth, label.append(" ").append(below[0][1].plain, style="default")
    else:
        yield depth, label
        yield from below


def _flat(value: Any) -> Any:
    """An item of a list in a line, if it has but few words and figures."""
    if not isinstance(value, Mapping) or any(isinstance(inner, Mapping | list) for inner in value.values()):
        return value
    said = ", ".join(f"{_name(key)} {_in_line(_money(key, inner))}" for key, inner in value.items())
    return said if len(said) <= LONGEST_ITEM and "\n" not in said else value


def _money(key: Any, value: Any) -> Any:
    is_usd = str(key).endswith(USD) and isinstance(value, int | float) and not isinstance(value, bool)
    return f"${value:,.2f}" if is_usd else value


def _in_line(value: Any) -> str:
    return value if isinstance(value, str) else json_text.write(value, ensure_ascii=False)


def _said(value: Any) -> list[str]:
    if isinstance(value, str):
        return [_cut(line) or " " for line in harmless(value).splitlines()] or [
            "(empty)"
        ]  # "" would be no line
    return [_cut(harmless(json_text.write(value, ensure_ascii=False)))]


def _cut(line: str) -> str:
    return line if len(line) <= LONGEST_LINE else f"{line[:LONGEST_LINE]}…"


def _name(key: Any) -> str:
    name = harmless(str(key))
    return name if "." in name else name.removesuffix(USD).replace("_", " ")

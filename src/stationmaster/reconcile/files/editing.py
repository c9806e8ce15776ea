"""Changes single keys of a YAML file as text, so that comments, order and layout of everything else stay. Pure.

The lines of a key are replaced, taken out or added; nothing is parsed and written anew. Whoever edits reads the result
again and compares: an exotic layout is then refused instead of spoilt.
"""

import re
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.scalarstring import DoubleQuotedScalarString, LiteralScalarString

WIDTH = 110
ABSENT = object()
_SHORT = 60
_BARE = re.compile(r"\w[\w ./-]*")


def changed(text: str, tree: CommentedMap, path: Sequence[str], value: Any) -> str:
    """The text with `value` under the path of keys; ABSENT takes the last one out, and what would be left empty."""
    first, *rest = path
    if not rest:
        return _set(text, tree, first, value)
    inner = tree.get(first)
    if isinstance(inner, CommentedMap) and inner and not inner.fa.flow_style():
        if value is ABSENT and len(rest) == 1 and list(inner) == rest:
            return _set(text, tree, first, ABSENT)
        return changed(text, inner, rest, value)
    return _set(text, tree, first, _with(inner, rest, value) or ABSENT)


def _with(whole: Any, path: Sequence[str], value: Any) -> dict[str, Any]:
    """Values with one of them set, or taken out."""
    first, *rest = path
    kept = dict(whole) if isinstance(whole, Mapping) else {}
    inner = _with(kept.get(first), rest, value) if rest else value
    if inner is ABSENT:
        kept.pop(first, None)
        return kept
    return {**kept, first: inner}


def dumped(values: Mapping[str, Any]) -> str:
    """Keys and values as YAML: long texts as blocks, short lists in a line."""
    yaml = YAML()
    yaml.width = WIDTH
    yaml.indent(mapping=2, sequence=4, offset=2)
    out = StringIO()
    yaml.dump(_styled(dict(values)), out)
    return out.getvalue()


def _set(text: str, mapping: CommentedMap, key: str, value: Any) -> str:
    """In a mapping that is written in lines."""
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    own = [each for each in mapping if each in (mapping.lc.data or {})]  # merged ones (`<<`) stand elsewhere
    present = key in own
    if not own or (not present and value is ABSENT):
        return text
    last = key if present else own[-1]
    row, column = mapping.lc.key(last)
    end = _end(lines, row, column)
    if value is ABSENT:
        return "".join(lines[:row] + lines[end:])
    new = [" " * column + line for line in dumped({key: value}).splitlines(keepends=True)]
    if not present:
        return "".join(lines[:end] + new + lines[end:])
    if len(new) == 1:
        new[0] = new[0].rstrip("\n") + _comment(mapping, key, lines[row]) + "\n"
    return "".join(lines[:row] + new + lines[end:])


def _end(lines: Sequence[str], row: int, column: int) -> int:
    """The line after the last one of the value; blank lines and comments of its own depth belong to what follows."""
    end = row + 1
    for index in range(row + 1, len(lines)):
        line = lines[index]
        content = line.strip()
        indent = len(line) - len(line.lstrip(" "))
        if not content or (content.startswith("#") and indent <= column):
            continue
        if indent < column or (indent == column and not content.startswith("- ") and content != "-"):
            break
        end = index + 1
    return end


def _comment(mapping: CommentedMap, key: str, line: str) -> str:
    """What stands behind the value, with the space before it; the parser knows: a `#` in a text is none."""
    tokens = mapping.ca.items.get(key)
    token = tokens[2] if tokens and len(tokens) > 2 else None
    if token is None or token.start_mark.line != mapping.lc.key(key)[0] or not token.value.startswith("#"):
        return ""
    before = line[: token.start_mark.column]
    return line[len(before.rstrip()) :].rstrip("\n")


def _styled(value: Any) -> Any:
    match value:
        case str() if "\n" in value:
            return LiteralScalarString(value)
        case dict():
            return CommentedMap({key: _styled(item) for key, item in value.items()})
        case list() | tuple() if all(map(_is_short, value)):
            items = CommentedSeq([_quoted(item) for item in value])
            items.fa.set_flow_style()
            return items
        case list() | tuple():
            return CommentedSeq([_styled(item) for item in value])
        case _:
            return value


def _is_short(item: Any) -> bool:
    return isinstance(item, str | int | float | None) and len(str(item)) < _SHORT


def _quoted(item: Any) -> Any:
    """In brackets the emitter leaves texts bare that the parser then takes for keys, such as `?x`."""
    return DoubleQuotedScalarString(item) if isinstance(item, str) and not _BARE.fullmatch(item) else item

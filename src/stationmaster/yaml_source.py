"""YAML files as JSON values with their lines: whatever is no JSON is a problem that says where, and what to write."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq, TaggedScalar
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from stationmaster.keepable import wrong_with

LARGEST_BYTES = 1_000_000
MOST_VALUES = 20_000
"""Aliases can make a short file immense."""
DEEPEST = 200
"""Brackets that are open at once; the parser takes seconds to find out that ten times as many are too many."""
TOO_DEEP = "is nested too deep: write it flatter"
Location = Sequence[int | str]


@dataclass(frozen=True, order=True)
class Problem:
    """One thing wrong with a file; `line` counts from 1."""

    file: str
    line: int
    message: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.message}"


@dataclass(frozen=True)
class Source:
    """A file that was read: its text, its value as JSON, and where what stands."""

    path: Path
    file: str
    text: str
    value: dict[str, Any]
    tree: CommentedMap

    def problem(self, location: Location, message: str) -> Problem:
        """Something wrong at a place, at the deepest part of it that the file has."""
        return Problem(self.file, line_of(self.tree, location), message)


def read(path: Path, shown: str) -> Source | list[Problem]:
    """The file, or everything that is wrong with it as YAML. It has to hold one mapping."""
    try:
        if path.stat().st_size > LARGEST_BYTES:
            return [Problem(shown, 1, "is larger than 1 MB: put long texts into files of their own")]
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        return [Problem(shown, 1, "is not UTF-8: save it as UTF-8")]
    except OSError as error:
        return [Problem(shown, 1, f"can't be read ({error.strerror}): correct its permissions, or remove it")]
    return parse(text, path, shown)


def parse(text: str, path: Path, shown: str) -> Source | list[Problem]:
    """The same of a text that is, or is to be, that file's."""
    if _brackets(text) > DEEPEST:
        return [Problem(shown, 1, TOO_DEEP)]
    try:
        tree = YAML(typ="rt").load(StringIO(text))
    except MarkedYAMLError as error:
        return [_unreadable(shown, error)]
    except RecursionError:
        return [Problem(shown, 1, TOO_DEEP)]
    except (YAMLError, ValueError) as error:
        return [Problem(shown, 1, f"is no YAML ({str(error).splitlines()[0]}): correct it")]
    if tree is None:
        return [
            Problem(shown, 1, "is empty: write keys and values, like `name: support`, or remove the file")
        ]
    if not isinstance(tree, CommentedMap):
        return [Problem(shown, 1, "is no mapping: write keys and values, like `name: support`")]
    problems = [Problem(shown, line_of(tree, place), message) for place, message in not_json(tree)]
    return problems or Source(path, shown, text, plain(tree), tree)


def line_of(tree: object, location: Location) -> int:
    """The line of the deepest part of the location that the file has."""
    line, node = 1, tree
    for step in location:
        if isinstance(node, CommentedMap) and step in node:
            own = (node.lc.data or {}).get(step)  # a merged key (`<<`) has no line: its mapping's is kept
            line = own[0] + 1 if own else line
        elif isinstance(node, CommentedSeq) and isinstance(step, int) and step < len(node):
            line = node.lc.item(step)[0] + 1
        else:
            break
        node = node[step]
    return line


def not_json(tree: object) -> Iterator[tuple[Location, str]]:
    """Places that JSON can't say, each with what is wrong and what to write."""
    waiting: list[tuple[tuple[Any, ...], object]] = [((), tree)]
    seen = 0
    while waiting:
        place, node = waiting.pop()
        seen += 1
        if seen > MOST_VALUES:
            yield (), f"has more than {MOST_VALUES} values, or aliases that stand for as many: write less"
            return
        name = ".".join(map(str, place))
        if (tag := _tag(node)) is not None:
            yield place, f"{name} has the tag {tag}: write a plain value"
        elif isinstance(node, CommentedMap):
            for key, value in node.items():
                if said := _wrong_key(key):
                    yield (*place, key), said
                else:
                    waiting.append(((*place, key), value))
        elif isinstance(node, CommentedSeq):
            waiting += [((*place, index), value) for index, value in enumerate(node)]
        elif said := _wrong_value(node):
            yield place, f"{name} {said}"


def _wrong_key(key: object) -> str | None:
    if not isinstance(key, str):
        return f"the key {key!r} is no text: write it in quotes"
    return f"the key {key!r} {said}" if (said := wrong_with(key)) else None


def _wrong_value(node: object) -> str | None:
    if isinstance(node, float) and not math.isfinite(node):
        return "is no finite number: write one, or a text in quotes"
    if not isinstance(node, str | int | float | None):
        return f"is read as a {type(node).__name__.lower()}: write it in quotes"
    return wrong_with(node)


def plain(node: object) -> Any:
    """Without the parser's own types, which remember comments and quotes."""
    match node:
        case CommentedMap():
            return {str(key): plain(item) for key, item in node.items()}
        case CommentedSeq():
            return [plain(item) for item in node]
        case bool() | None:
            return node
        case int():
            return int(node)
        case float():
            return float(node)
        case _:
            return str(node)


def _brackets(text: str) -> int:
    """The most that are open at once, those in texts counted as well."""
    depth = most = 0
    for bracket in re.findall(r"[\[\]{}]", text):
        depth = depth + 1 if bracket in "[{" else max(0, depth - 1)
        most = max(most, depth)
    return most


def _tag(node: object) -> str | None:
    """A tag that somebody wrote; those that the parser gives by itself are no concern."""
    if isinstance(node, TaggedScalar | CommentedMap | CommentedSeq):
        value = node.tag.value
        return str(value) if value else None
    return None


def _unreadable(shown: str, error: MarkedYAMLError) -> Problem:
    mark = error.problem_mark or error.context_mark
    said = (error.problem or str(error)).strip().splitlines()[0]
    if said.startswith("found duplicate key"):
        key = said.split('"')[1] if '"' in said else "a key"
        message = f"{key} stands here twice: keep one of the two"
    elif "\\t" in said:
        message = "is indented by a tab: write spaces"
    elif error.context_mark and ("stream end" in said or "end of stream" in said):
        mark, message = error.context_mark, "is opened here and never closed: close the bracket or the quote"
    else:
        message = f"is no YAML ({said}): correct this line"
    return Problem(shown, mark.line + 1 if mark else 1, message)

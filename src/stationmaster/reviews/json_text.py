"""JSON text of any depth: the standard library's as far as its recursion goes, below that a stack of our own.

What a graph asks may be nested a thousand levels deep, and is stored, listed and shown all the same. Text and values
are those of `json`: integers and floats as they are, key order as it came.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

Pairs: TypeAlias = Callable[[list[tuple[str, Any]]], Any]

DEEPEST_INDENT = 40
"""Levels beyond which deeper text is not indented further: else its size grows with the square of its depth."""
_SPACE = " \t\n\r"
_scalars = json.JSONDecoder()


def write(
    value: Any,
    *,
    sort_keys: bool = False,
    compact: bool = False,
    ensure_ascii: bool = True,
    indent: int | None = None,
    default: Callable[[Any], Any] | None = None,
) -> str:
    """As json.dumps writes it, with its words; `compact` leaves out the spaces."""
    separators = (",", ":") if compact else None
    try:
        return json.dumps(
            value, sort_keys=sort_keys, separators=separators, ensure_ascii=ensure_ascii, indent=indent,
            default=default,
        )  # fmt: skip
    except RecursionError:
        style = Writer(sort_keys, compact, ensure_ascii, indent, default)
        return "".join(style.pieces(value))


def read(text: str, *, pairs: Pairs | None = None) -> Any:
    """As json.loads reads it, `pairs` being its object_pairs_hook; json.JSONDecodeError."""
    try:
        return json.loads(text, object_pairs_hook=pairs)
    except RecursionError:
        return Reader(text, pairs or dict).value()


class Writer:
    """Writes without recursion; `write` uses it where the library gives up."""

    def __init__(
        self,
        sort_keys: bool,
        compact: bool,
        ensure_ascii: bool,
        indent: int | None,
        default: Callable[[Any], Any] | None,
    ) -> None:
        self.sort_keys, self.ensure_ascii, self.indent, self.default = (
            sort_keys,
            ensure_ascii,
            indent,
            default,
        )
        self.between = "," if compact or indent is not None else ", "
        self.colon = ":" if compact else ": "

    def pieces(self, value: Any) -> Iterator[str]:
        """Open containers are on the stack, each with what is left of it and how it ends."""
        stack: list[tuple[Iterator[tuple[str, Any]], str]] = []
        yield from self._begin(value, stack)
        while stack:
            rest, end = stack[-1]
            found = next(rest, None)
            if found is None:
                stack.pop()
                yield self._line(len(stack)) + end
                continue
            before, item = found
            yield before
            yield from self._begin(item, stack)

    def _begin(self, value: Any, stack: list[tuple[Iterator[tuple[str, Any]], str]]) -> Iterator[str]:
        """A scalar or an empty container as a whole; of any other its opening, and the rest goes on the stack."""
        if isinstance(value, Mapping) and value:
            items = sorted(value.items()) if self.sort_keys else value.items()
            named = ((self._scalar(_key(key)) + self.colon, item) for key, item in items)
            stack.append((self._placed(named, len(stack) + 1), "}"))
            yield "{"
        elif isinstance(value, list | tuple) and value:
            stack.append((self._placed((("", item) for item in value), len(stack) + 1), "]"))
            yield "["
        else:
            yield self._scalar(value)

    def _placed(self, items: Iterable[tuple[str, Any]], level: int) -> Iterator[tuple[str, Any]]:
        between = ""
        for name, item in items:
            yield between + self._line(level) + name, item
            between = self.between

    def _line(self, level: int) -> str:
        return "" if self.indent is None else "\n" + " " * (self.indent * min(level, DEEPEST_INDENT))

    def _scalar(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=self.ensure_ascii, default=self.default)


def _key(key: Any) -> str:
    return key if isinstance(key, str) else json.dumps(key)


class Reader:
    """Reads without recursion. Scalars are the library's; containers under way are on the stack as (items so far,
    whether they have names), with the names of what is under way beside it."""

    def __init__(self, text: str, pairs: Pairs) -> None:
        self.text, self.pairs, self.at = text, pairs, 0
        self.stack: list[tuple[list[Any], bool]] = []
        self.keys: list[str] = []

    def value(self) -> Any:
        while True:
            made = self._begin()
            if made is _OPEN:
                continue
            while self.stack:
                items, named = self.stack[-1]
                items.append((self.keys.pop(), made) if named else made)
                if self._more(named):
                    break
                self.stack.pop()
                made = self.pairs(items) if named else items
            else:
                if self._peek():
                    raise self._wrong("Extra data")
                return made

    def _begin(self) -> Any:
        """A scalar or an empty container; _OPEN when a container has begun and its first item comes next."""
        opening = self._peek()
        if opening not in ("{", "["):
            try:
                made, self.at = _scalars.raw_decode(self.text, self.at)
            except StopIteration:
                raise self._wrong("Expecting value") from None
            return made
        self.at += 1
        named = opening == "{"
        if self._peek() == ("}" if named else "]"):
            self.at += 1
            return self.pairs([]) if named else []
        self.stack.append(([], named))
        if named:
            self._name()
        return _OPEN

    def _more(self, named: bool) -> bool:
        """Past the comma to the next item, or past the end of the container."""
        mark = self._peek()
        if mark not in (",", "}" if named else "]"):
            raise self._wrong("Expecting ',' delimiter")
        self.at += 1
        if mark == "," and named:
            self._name()
        return mark == ","

    def _name(self) -> None:
        if self._peek() != '"':
            raise self._wrong("Expecting property name enclosed in double quotes")
        key, self.at = _scalars.raw_decode(self.text, self.at)
        if self._peek() != ":":
            raise self._wrong("Expecting ':' delimiter")
        self.at += 1
        self.keys.append(key)

    def _peek(self) -> str:
        """The next character that says something; "" at the end."""
        while self.at < len(self.text) and self.text[self.at] in _SPACE:
            self.at += 1
        return self.text[self.at : self.at + 1]

    def _wrong(self, said: str) -> json.JSONDecodeError:
        return json.JSONDecodeError(said, self.text, self.at)


_OPEN: Any = object()

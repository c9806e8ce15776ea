"""The documents of a folder as passages: read once, and kept in this process until a file changes. All of it blocks."""

import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from agents.shared.extraction import Unreadable, pages_of
from agents.shared.retrieval.sources.folder.walking import MAX_BYTES, MAX_FILES, Entry, entries
from agents.shared.words import stems

PASSAGE = 900
"""Characters of a passage, about."""
MAX_PAGES = 500
MAX_KEPT = 20_000_000
"""Characters of all passages that are kept, of whatever folder."""
_PARAGRAPH = re.compile(r"\n[ \t]*\n")


class Stopped(Exception):
    """Nobody waits for this any more."""


@dataclass(frozen=True)
class Piece:
    """A passage of a document: its page (None where there are no pages), and how often each stem stands in it."""

    page: int | None
    text: str
    stems: Counter[str]


@dataclass(frozen=True)
class Document:
    """A file as it was read; `name` is its path below the tenant's folder."""

    name: str
    pieces: tuple[Piece, ...]


@dataclass
class Reader:
    """Reads folders; of a file that it has read it keeps the passages, the newest used MAX_KEPT characters of them."""

    _kept: OrderedDict[tuple[int, ...], tuple[Piece, ...]] = field(default_factory=OrderedDict)
    _characters: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def read(
        self, root: Path, part: str, report: Callable[[str, int, int], None], stop: threading.Event
    ) -> tuple[list[Document], list[str]]:
        """All documents below a part of a folder, and notes on those that could not be read.

        `report("handbook.pdf", 3, 12)` hears of each page of what is read anew. Raises Stopped.
        """
        documents, notes = list[Document](), list[str]()
        for entry in entries(root, part):
            if stop.is_set():
                raise Stopped
            if len(documents) >= MAX_FILES:
                notes.append(f"folder: only the first {MAX_FILES} files were read")
                break
            try:
                documents.append(Document(entry.name, self._pieces(entry, report, stop)))
            except (OSError, Unreadable) as error:
                notes.append(f"folder: {entry.name} was left out: {error}")
        return documents, notes

    def _pieces(
        self, entry: Entry, report: Callable[[str, int, int], None], stop: threading.Event
    ) -> tuple[Piece, ...]:
        with self._lock:
            kept = self._kept.get(entry.version)
            if kept is not None:
                self._kept.move_to_end(entry.version)
                return kept
        if entry.size > MAX_BYTES:
            raise Unreadable(f"it has {entry.size:,} bytes and {MAX_BYTES:,} are read")

        def on_page(page: int, of: int) -> None:
            if stop.is_set():
                raise Stopped
            report(entry.name, page, of)

        pages = pages_of(entry.read(), entry.media_type, MAX_PAGES, on_page).pages
        pieces = tuple(_pieces(pages, numbered=entry.media_type == "application/pdf"))
        self._keep(entry.version, pieces)
        return pieces

    def _keep(self, version: tuple[int, ...], pieces: tuple[Piece, ...]) -> None:
        with self._lock:
            replaced = self._kept.pop(version, ())
            self._kept[version] = pieces
            self._characters += _length(pieces) - _length(replaced)
            while self._characters > MAX_KEPT and len(self._kept) > 1:
                _, gone = self._kept.popitem(last=False)
                self._characters -= _length(gone)


def _length(pieces: tuple[Piece, ...]) -> int:
    return sum(len(piece.text) for piece in pieces)


def _pieces(pages: list[str], *, numbered: bool) -> Iterator[Piece]:
    for page, text in enumerate(pages, 1):
        for passage in _passages(text):
            yield Piece(page if numbered else None, passage, Counter(stems(passage)))


def _passages(text: str) -> Iterator[str]:
    """Paragraphs, short ones together (a heading stays with what it heads), long ones cut between words."""
    held = ""
    for paragraph in _PARAGRAPH.split(text):
        paragraph = paragraph.strip()
        if held and len(held) + len(paragraph) > PASSAGE:
            yield held
            held = ""
        held = f"{held}\n\n{paragraph}".strip()
        while len(held) > PASSAGE:
            end = held.rfind(" ", PASSAGE // 2, PASSAGE)
            end = end if end > 0 else PASSAGE
            yield held[:end].strip()
            held = held[end:].strip()
    if held:
        yield held

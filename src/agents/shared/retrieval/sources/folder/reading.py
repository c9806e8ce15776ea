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
MAX_KEPT = 5_000_000
"""Characters of all passages that are kept, of whatever folder; each costs some 20 bytes with its counted words."""
MAX_AT_ONCE = 10_000_000
"""Characters of a folder that one search holds: some 200 MB with their counted words."""
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


@dataclass(frozen=True)
class Read:
    """What a file came to: its passages, or why there are none."""

    pieces: tuple[Piece, ...] = ()
    problem: str | None = None

    def __len__(self) -> int:
        return sum(len(piece.text) for piece in self.pieces) + len(self.problem or "")


@dataclass
class Reader:
    """Reads folders; of a file that it has read it keeps the passages, the newest used MAX_KEPT characters of them."""

    _kept: OrderedDict[tuple[int, ...], Read] = field(default_factory=OrderedDict)
    _characters: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _busy: dict[tuple[int, ...], threading.Lock] = field(default_factory=dict)

    def read(
        self, root: Path, part: str, report: Callable[[str, int, int], None], stop: threading.Event
    ) -> tuple[list[Document], list[str]]:
        """All documents below a part of a folder, and notes on those that could not be read.

        `report("handbook.pdf", 3, 12)` hears of each page of what is read anew. Raises Stopped.
        """
        documents, notes, left = list[Document](), list[str](), MAX_AT_ONCE
        for number, entry in enumerate(entries(root, part)):
            if stop.is_set():
                raise Stopped
            if number >= MAX_FILES:
                notes.append(f"folder: only the first {MAX_FILES} files were read")
                break
            read = self._read(entry, report, stop)
            left -= len(read)
            if left < 0:
                notes.append(
                    f"folder: only the first {MAX_AT_ONCE:,} characters were read; name a part of it"
                )
                break
            if read.problem:
                notes.append(f"folder: {entry.name} was left out: {read.problem}")
            else:
                documents.append(Document(entry.name, read.pieces))
        return documents, notes

    def _read(self, entry: Entry, report: Callable[[str, int, int], None], stop: threading.Event) -> Read:
        """What the file came to; of several searches that want it one reads it, and the others wait for that one."""
        with self._lock:
            busy = self._busy.setdefault(entry.version, threading.Lock())
        with busy:
            with self._lock:
                kept = self._kept.get(entry.version)
                if kept is not None:
                    self._kept.move_to_end(entry.version)
                    return kept
            try:
                read = _read(entry, report, stop)
                self._keep(entry.version, read)
            finally:
                with self._lock:
                    self._busy.pop(entry.version, None)
        return read

    def _keep(self, version: tuple[int, ...], read: Read) -> None:
        with self._lock:
            replaced = self._kept.pop(version, None)
            self._kept[version] = read
            self._characters += len(read) - (len(replaced) if replaced else 0)
            while self._characters > MAX_KEPT and len(self._kept) > 1:
                _, gone = self._kept.popitem(last=False)
                self._characters -= len(gone)


def _read(entry: Entry, report: Callable[[str, int, int], None], stop: threading.Event) -> Read:
    def on_page(page: int, of: int) -> None:
        if stop.is_set():
            raise Stopped
        report(entry.name, page, of)

    if entry.size > MAX_BYTES:
        return Read(problem=f"it has {entry.size:,} bytes and {MAX_BYTES:,} are read")
    try:
        pages = pages_of(entry.read(), entry.media_type, MAX_PAGES, on_page).pages
    except (OSError, Unreadable) as error:
        return Read(problem=str(error))
    return Read(tuple(_pieces(pages, numbered=entry.media_type == "application/pdf")))


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
        if len(held) > PASSAGE:
            *whole, held = _cut(held)
            yield from whole
    if held:
        yield held


def _cut(text: str) -> list[str]:
    """Pieces of about PASSAGE characters, cut between words where there are some; the last one is shorter."""
    pieces, at = [], 0
    while len(text) - at > PASSAGE:
        space = text.rfind(" ", at + PASSAGE // 2, at + PASSAGE)
        end = space if space > 0 else at + PASSAGE
        pieces.append(text[at:end].strip())
        at = end
    return [*pieces, text[at:].strip()]

"""From bytes to pages of text. All of it blocks: call `pages_of` in a thread.

What a file can do to its reader has an end: pages, characters and seconds are counted. The seconds are about right:
they are looked at while text is taken from a page, but not while its operators are read, whose number has its own end.
"""

import codecs
import io
import logging
import re
import time
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from agents.shared.errors import PermanentError

MAX_CHARACTERS = 5_000_000
MAX_SECONDS = 60.0
LONGEST_PAGE = 200_000
"""Of a PDF. Rules search page by page, and a search of one text holds up everybody until it ends."""
PAGE_CHARACTERS = 3_000
"""A text without form feeds is cut into pages of about this length, between paragraphs where there are some."""
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_PARAGRAPH = re.compile(r"\n[ \t]*\n")
_STRANGE = re.compile(r"[\x00-\x08\x0e-\x1f\x7f]")
logging.getLogger("pypdf").setLevel(logging.ERROR)  # it warns of each oddity of each file


class Unreadable(PermanentError):
    """No text can be had of these bytes; the message says why, and what to do."""


@dataclass(frozen=True)
class Extracted:
    """The text of each page, and what a reader should know of how it was had."""

    pages: list[str]
    notes: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        return not any(page.strip() for page in self.pages)


def pages_of(
    content: bytes, media_type: str, max_pages: int, on_page: Callable[[int, int], None] | None = None
) -> Extracted:
    """The text of a document, page by page; `on_page(3, 12)` hears of each page of a PDF. Raises Unreadable."""
    if not content.strip():
        return Extracted([])
    if media_type == "application/pdf":
        return Extracted(_pages_of_pdf(content, max_pages, on_page or (lambda _page, _of: None)))
    text, notes = _decoded(content)
    pages = _cut(text)
    if len(pages) > max_pages:
        raise Unreadable(f"it has {len(pages)} pages and {max_pages} are read: split it, or raise max_pages")
    return Extracted(pages, notes)


def _decoded(content: bytes) -> tuple[str, tuple[str, ...]]:
    """As UTF-8 or as its byte order mark says; else, with a note, as Windows-1252 if that makes readable text."""
    encoding = next((name for mark, name in _BOMS if content.startswith(mark)), "utf-8")
    notes: tuple[str, ...] = ()
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        place = f"byte {error.start} is no {encoding.removesuffix('-sig').upper()}"
        try:
            text = content.decode("cp1252")
        except UnicodeDecodeError:
            raise Unreadable(f"its encoding can't be told ({place}): save it as UTF-8") from None
        notes = (f"read as Windows-1252, since {place}: umlauts and symbols may be wrong",)
    if len(_STRANGE.findall(text)) > len(text) / 1_000:
        raise Unreadable("it is no text, whatever its type says: send the file that it was made from")
    if len(text) > MAX_CHARACTERS:
        raise Unreadable(f"it has {len(text):,} characters and {MAX_CHARACTERS:,} are read: split it")
    return _STRANGE.sub(" ", text).replace("\r\n", "\n").replace("\r", "\n"), notes


def _cut(text: str) -> list[str]:
    pages: list[str] = []
    for sheet in text.split("\f"):
        rest = sheet
        while len(rest) > PAGE_CHARACTERS:
            ends = [match.end() for match in _PARAGRAPH.finditer(rest, PAGE_CHARACTERS // 2, PAGE_CHARACTERS)]
            end = ends[-1] if ends else rest.rfind(" ", PAGE_CHARACTERS // 2, PAGE_CHARACTERS) + 1
            end = end or PAGE_CHARACTERS
            pages.append(rest[:end])
            rest = rest[end:]
        pages.append(rest)
    return pages


def _pages_of_pdf(content: bytes, max_pages: int, on_page: Callable[[int, int], None]) -> list[str]:
    # Imported here, in the thread: it costs 0.15 s, which a server without PDFs need not pay.
    from pypdf import PdfReader
    from pypdf.errors import PyPdfError

    # What broken files make it raise besides its own errors.
    broken = (
        PyPdfError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OSError, zlib.error,
        NotImplementedError, AssertionError, ZeroDivisionError, OverflowError,
    )  # fmt: skip
    until, pages, characters = time.monotonic() + MAX_SECONDS, list[str](), 0

    def in_time(*_: object) -> None:
        """Called for each operator of a page, too: one page may hold hundreds of thousands of them."""
        if time.monotonic() > until:
            raise Unreadable(f"its text could not be had within {MAX_SECONDS:.0f} s: split it")

    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise Unreadable("it is locked with a password: send one without")
        count = len(reader.pages)
        if count > max_pages:
            raise Unreadable(f"it has {count} pages and {max_pages} are read: split it, or raise max_pages")
        for number, page in enumerate(reader.pages, 1):
            on_page(number, count)
            text = _STRANGE.sub(" ", page.extract_text(visitor_operand_before=in_time))
            if len(text) > LONGEST_PAGE:
                raise Unreadable(f"page {number} has {len(text):,} characters and {LONGEST_PAGE:,} are read")
            characters += len(text)
            if characters > MAX_CHARACTERS:
                raise Unreadable(
                    f"it has more than the {MAX_CHARACTERS:,} characters that are read: split it"
                )
            in_time()
            pages.append(text)
    except broken as error:
        raise Unreadable(
            f"it is no PDF that can be read ({type(error).__name__}: {error}): save it anew"
        ) from error
    if not "".join(pages).strip():
        raise Unreadable("its pages hold no text, as scans do: run it through text recognition first")
    return pages

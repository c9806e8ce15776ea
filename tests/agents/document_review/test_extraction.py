"""From bytes to pages: encodings, broken and locked files, and what has an end."""

import pytest

from agents.shared import extraction
from agents.shared.extraction import Unreadable, pages_of
from tests.agents.document_review.shelf import COMPLAINT, Review, Shelf
from tests.fakes.pdf import pdf


def text_of(content: bytes, media_type: str = "text/plain") -> str:
    return "".join(pages_of(content, media_type, 500).pages)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_encodings_that_say_what_they_are(encoding: str) -> None:
    extracted = pages_of("Größe: 5 €, naïve\r\nzwei".encode(encoding), "text/plain", 500)
    assert "".join(extracted.pages) == "Größe: 5 €, naïve\nzwei"
    assert extracted.notes == ()


def test_a_wrong_encoding_is_read_as_what_it_probably_is_and_said() -> None:
    extracted = pages_of("Größe: 5 €".encode("cp1252"), "text/plain", 500)
    assert extracted.pages == ["Größe: 5 €"]
    assert "read as Windows-1252, since byte 2 is no UTF-8" in extracted.notes[0]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"\x81\x8d\x8f\x90 text", "its encoding can't be told"),
        (b"\xff\xfea\x00b", "it is no text"),
        (bytes(range(256)) * 4, "its encoding can't be told"),
        (b"\x00\x01\x02\x03" * 100, "it is no text"),
        (b"\x7fELF\x02\x01\x01\x00" + b"\x00" * 200, "it is no text"),
    ],
)
def test_what_is_no_text_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        pages_of(content, "text/plain", 500)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"%PDF-1.4 and then nothing", "no PDF that can be read"),
        (b"Dear team, this is a letter.", "no PDF that can be read"),
        (pdf(["One page"])[:300], "no PDF that can be read"),
        (pdf([""]), "its pages hold no text"),
        (pdf(["One page"], encrypted=True), "locked with a password"),
        (pdf(["a"] * 501), "it has 501 pages and 500 are read"),
    ],
    ids=["cut", "letter", "half", "scan", "locked", "long"],
)
def test_what_is_no_pdf_that_can_be_read_is_refused(content: bytes, why: str) -> None:
    with pytest.raises(Unreadable, match=why):
        pages_of(content, "application/pdf", 500)


def test_a_pdf_page_by_page() -> None:
    pages = pages_of(pdf(["First (1)", "Second\nline"]), "application/pdf", 500).pages
    assert [page.strip() for page in pages] == ["First (1)", "Second\nline"]


@pytest.mark.parametrize(
    ("content", "media_type"),
    [
        *((content, "text/plain") for content in (b"", b"  \n\t ", "\ufeff".encode())),
        (b"", "text/markdown"),
        (b"", "application/pdf"),
        (b" \n", "application/pdf"),
    ],
)
def test_nothing_is_nothing(content: bytes, media_type: str) -> None:
    assert pages_of(content, media_type, 500).is_empty


def test_long_texts_are_cut_between_paragraphs_and_nothing_is_lost() -> None:
    text = "\n\n".join(f"Paragraph {number}. " + "word " * 60 for number in range(100))
    pages = pages_of(text.encode(), "text/plain", 500).pages
    assert "".join(pages) == text
    assert all(len(page) <= extraction.PAGE_CHARACTERS for page in pages)
    assert all(page.endswith("\n\n") for page in pages[:-1])
    assert "".join(pages_of(b"x" * 10_000, "text/plain", 500).pages) == "x" * 10_000


def test_form_feeds_are_pages() -> None:
    assert pages_of(b"one\ftwo\fthree", "text/plain", 500).pages == ["one", "two", "three"]


def test_characters_and_pages_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(Unreadable, match="501 pages and 500 are read"):
        pages_of(b"\f" * 500 + b"x", "text/plain", 500)
    monkeypatch.setattr(extraction, "MAX_CHARACTERS", 100)
    with pytest.raises(Unreadable, match="and 100 are read"):
        pages_of(b"x" * 101, "text/plain", 500)
    with pytest.raises(Unreadable, match="more than the 100 characters"):
        pages_of(pdf(["word " * 30]), "application/pdf", 500)
    monkeypatch.setattr(extraction, "MAX_SECONDS", -1.0)
    with pytest.raises(Unreadable, match="could not be had within"):
        pages_of(pdf(["word"]), "application/pdf", 500)


@pytest.mark.parametrize(
    ("content", "media_type", "outcome", "said"),
    [
        (b"", "text/plain", "empty", "is empty"),
        (b" \n ", "text/markdown", "empty", "is empty"),
        (b"\x00\x01" * 50, "text/plain", "unreadable", "save|send the file"),
        (b"%PDF-1.7", "application/pdf", "unreadable", "save it anew"),
        (pdf([""]), "application/pdf", "unreadable", "text recognition"),
    ],
)
async def test_a_review_of_it_ends_and_says_so_and_asks_nobody(
    shelf: Shelf, content: bytes, media_type: str, outcome: str, said: str
) -> None:
    review = Review()
    values = await review.of(shelf.put(content, media_type))
    assert (values["outcome"], review.nodes) == (outcome, ["intake", "load"])
    assert any(part in values["problem"] for part in said.split("|"))
    assert await review.next() == ()
    assert shelf.reviews(review.thread_id) == []


async def test_a_document_that_is_not_there(shelf: Shelf) -> None:
    values = await Review().of("no-such")
    assert values["outcome"] == "not_found"
    assert "upload it first" in values["problem"]


async def test_a_wrong_encoding_is_in_the_report(shelf: Shelf) -> None:
    review = Review()
    values = await review.of(shelf.put((COMPLAINT + "Größe").encode("cp1252")))
    assert values["outcome"] == "reported"
    assert "Windows-1252" in shelf.reviews(review.thread_id)[0]["markdown"]


def test_the_time_is_looked_at_within_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """One page of a few kilobytes can hold its reader for half a minute."""
    looks: list[float] = []

    def clock() -> float:
        looks.append(len(looks))
        return 0.0 if len(looks) < 50 else 1e9

    monkeypatch.setattr(extraction.time, "monotonic", clock)
    with pytest.raises(Unreadable, match="within 60 s"):
        pages_of(pdf(["\n".join(f"line {number}" for number in range(40))]), "application/pdf", 10)
    assert len(looks) == 50


def test_a_page_that_is_no_page_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extraction, "LONGEST_PAGE", 5)
    with pytest.raises(Unreadable, match=r"page 2 has .* characters and 5 are read"):
        pages_of(pdf(["One", "Two more"]), "application/pdf", 10)

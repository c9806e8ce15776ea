"""A folder of documents: what is found in it, what is never opened, and that nobody waits for it on the loop."""

import asyncio
import os
import socket
import threading
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from blockbuster import blockbuster_ctx
from hypothesis import given
from hypothesis import strategies as st

from agents.shared.retrieval.passages import Hit
from agents.shared.retrieval.sources import folder, offered
from agents.shared.retrieval.sources.folder import reading, walking
from agents.shared.retrieval.sources.folder.bm25 import scores
from agents.shared.retrieval.sources.folder.searching import FolderMissing
from agents.shared.retrieval.sources.folder.walking import entries
from tests.fakes.pdf import pdf

HANDBOOK = "# Garden handbook\n\nTulips bloom in April.\n\nAsters bloom in September, roses all summer."


@pytest.fixture
async def root(tmp_path: Path) -> AsyncIterator[Path]:
    """A root with the folder of the tenant `main`; beside it something that nobody may read."""
    (tmp_path / "secret.md").write_text("Tulips are the password.")
    (tmp_path / "root" / "main").mkdir(parents=True)
    folder.configure(tmp_path / "root")
    yield tmp_path / "root"
    folder.configure(None)


async def found(query: str, *, tenant: str = "main", part: str = "") -> list[Hit]:
    return (await folder.search(tenant, query, part=part, limit=5, report=lambda *_: None))[0]


async def test_the_best_passage_of_every_kind_of_file(root: Path) -> None:
    (root / "main" / "handbook.md").write_text(HANDBOOK)
    (root / "main" / "notes").mkdir()
    (root / "main" / "notes" / "winter.txt").write_text("Dahlias are dug up in winter.")
    (root / "main" / "catalogue.pdf").write_bytes(pdf(["Prices of bulbs", "Orchids cost 12 dollars a pot"]))
    (tulips,) = await found("When do tulips bloom?")
    assert (tulips.title, tulips.where) == ("handbook.md", "handbook.md")
    (orchids,) = await found("orchids")
    assert (orchids.title, orchids.where) == ("catalogue.pdf", "catalogue.pdf, page 2")
    (dahlias,) = await found("dahlias in winter")
    assert dahlias.where == "notes/winter.txt"
    assert await found("zeppelins") == await found("") == []


async def test_a_part_of_the_folder(root: Path) -> None:
    for name in ("a/deep/one.md", "ab/two.md", "three.md"):
        (root / "main" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "main" / name).write_text("Tulips bloom.")
    assert [hit.where for hit in await found("tulips", part="a")] == ["a/deep/one.md"]
    assert [hit.where for hit in await found("tulips", part="a/deep")] == ["a/deep/one.md"]
    assert len(await found("tulips")) == 3
    for part in ("..", "../..", "/etc", "a/../..", "nothing", "three.md"):
        assert await found("tulips", part=part) == [], part


async def test_no_way_leads_out(root: Path, tmp_path: Path) -> None:
    main = root / "main"
    (main / "good.md").write_text("Tulips bloom in April.")
    (main / "link.md").symlink_to(tmp_path / "secret.md")
    (main / "out").symlink_to(tmp_path, target_is_directory=True)
    (main / "loop").symlink_to(main, target_is_directory=True)
    (main / ".hidden.md").write_text("Tulips are hidden.")
    (main / "program.sh").write_text("tulips")
    os.mkfifo(main / "pipe.md")
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(main / "s.md"))
    listening.close()
    async with asyncio.timeout(30):
        assert [hit.where for hit in await found("tulips password hidden")] == ["good.md"]


async def test_a_tenant_that_is_a_link_or_no_name_has_nothing(root: Path, tmp_path: Path) -> None:
    (root / "other").symlink_to(tmp_path, target_is_directory=True)
    assert await found("tulips", tenant="other") == []
    for tenant in ("..", "", "main/..", ".", "MAIN", "missing"):
        with pytest.raises(FolderMissing, match="STATIONMASTER_RESEARCH_FOLDER"):
            await found("tulips", tenant=tenant)


async def test_a_file_that_becomes_a_link_in_the_middle_of_a_walk_is_not_followed(
    root: Path, tmp_path: Path
) -> None:
    (root / "main" / "a.md").write_text("Tulips bloom.")
    for entry in entries(root / "main"):
        (root / "main" / "a.md").unlink()
        (root / "main" / "a.md").symlink_to(tmp_path / "secret.md")
        with pytest.raises(OSError, match="symbolic"):
            entry.read()
        (root / "main" / "a.md").unlink()
        os.mkfifo(root / "main" / "a.md")
        with pytest.raises(OSError, match="no file"):
            entry.read()


async def test_tenants_read_their_own(root: Path) -> None:
    for tenant in ("main", "north"):
        (root / tenant).mkdir(exist_ok=True)
        (root / tenant / "plan.md").write_text(f"Tulips of {tenant}.")
    assert [hit.text for hit in await found("tulips", tenant="north")] == ["Tulips of north."]
    assert [hit.text for hit in await found("tulips")] == ["Tulips of main."]


async def test_a_changed_file_is_read_again_and_an_unchanged_one_is_not(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[str]()
    pages_of = reading.pages_of
    monkeypatch.setattr(reading, "pages_of", lambda *args: (read.append("x"), pages_of(*args))[1])
    plan = root / "main" / "plan.md"
    plan.write_text("Tulips bloom in April.")
    for _ in range(3):
        assert (await found("tulips"))[0].text == "Tulips bloom in April."
    assert len(read) == 1
    plan.write_text("Tulips bloom in Junes.")
    assert (await found("tulips"))[0].text == "Tulips bloom in Junes."
    assert len(read) == 2
    plan.unlink()
    assert await found("tulips") == []


async def test_what_can_not_be_read_is_told_and_the_rest_is_found(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "MAX_BYTES", 2_000)
    (root / "main" / "good.md").write_text("Tulips bloom in April.")
    (root / "main" / "big.txt").write_text("tulips " * 1_000)
    (root / "main" / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (root / "main" / "locked.pdf").write_bytes(pdf(["Tulips"], encrypted=True))
    hits, notes = await folder.search("main", "tulips", part="", limit=5, report=lambda *_: None)
    assert [hit.where for hit in hits] == ["good.md"]
    assert [note.partition(" was left out")[0] for note in notes] == [
        "folder: big.txt", "folder: broken.pdf", "folder: locked.pdf"
    ]  # fmt: skip


async def test_only_so_many_files_are_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_FILES", 3)
    for number in range(5):
        (root / "main" / f"{number}.md").write_text(f"Tulips number {number}.")
    hits, notes = await folder.search("main", "tulips", part="", limit=9, report=lambda *_: None)
    assert (len(hits), notes) == (3, ["folder: only the first 3 files were read"])


async def test_files_that_can_not_be_read_count_as_well(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_FILES", 3)
    for number in range(5):
        (root / "main" / f"{number}.pdf").write_bytes(b"no PDF")
    (root / "main" / "z.md").write_text("Tulips.")
    hits, notes = await folder.search("main", "tulips", part="", limit=9, report=lambda *_: None)
    assert (hits, len(notes), notes[-1]) == ([], 4, "folder: only the first 3 files were read")


async def test_only_so_much_text_is_held_at_once(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_AT_ONCE", 1_000)
    for number in range(5):
        (root / "main" / f"{number}.md").write_text(f"Tulips number {number}. " * 20)
    documents, notes = reading.Reader().read(root / "main", "", lambda *_: None, threading.Event())
    assert sum(len(piece.text) for document in documents for piece in document.pieces) <= 1_000
    assert [document.name for document in documents] == ["0.md", "1.md"]
    assert notes == ["folder: only the first 1,000 characters were read; name a part of it"]


async def test_what_is_kept_has_an_end(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "MAX_KEPT", 100)
    for number in range(5):
        (root / "main" / f"{number}.md").write_text(f"Tulips number {number}. " * 2)
    reader, stop = reading.Reader(), threading.Event()
    for _ in range(2):
        documents, _ = reader.read(root / "main", "", lambda *_: None, stop)
        assert len(documents) == 5
        assert sum(len(piece.text) for pieces in _kept(reader) for piece in pieces) <= 100


def _kept(reader: reading.Reader) -> list[tuple[reading.Piece, ...]]:
    return [read.pieces for read in reader._kept.values()]  # pyright: ignore[reportPrivateUsage]


async def test_pages_are_told_as_they_are_read_and_the_loop_is_free(root: Path) -> None:
    (root / "main" / "long.pdf").write_bytes(pdf([f"Page {number} of tulips" for number in range(1, 13)]))
    told = list[tuple[str, int, int]]()
    with blockbuster_ctx():  # blocking calls on the loop raise, as in `langgraph dev`
        await folder.search("main", "tulips", part="", limit=5, report=lambda *page: told.append(page))
    await asyncio.sleep(0)
    assert told == [("long.pdf", page, 12) for page in range(1, 13)]


async def test_a_search_that_nobody_waits_for_ends_its_reading(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (root / "main" / "long.pdf").write_bytes(pdf([f"Page {number}" for number in range(300)]))
    seen, ended = list[int](), threading.Event()
    pages_of = reading.pages_of

    def slowly(content: bytes, media_type: str, most: int, on_page: object) -> object:
        def page(number: int, of: int) -> None:
            seen.append(number)
            time.sleep(0.01)  # a thread's, so that there is something to cancel
            on_page(number, of)  # type: ignore[operator]

        try:
            return pages_of(content, media_type, most, page)
        finally:
            ended.set()

    monkeypatch.setattr(reading, "pages_of", slowly)
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await found("tulips")
    assert await asyncio.to_thread(ended.wait, 5)
    assert len(seen) < 100


async def test_without_a_root_there_is_no_such_source(root: Path) -> None:
    assert "folder" in offered()
    folder.configure(None)
    assert offered() == offered(["articles", "meaning", "folder"]) == ["articles", "meaning"]


@given(st.lists(st.sampled_from(["tulip", "rose"]), max_size=3), st.lists(st.dictionaries(
    st.sampled_from(["tulip", "rose", "aster"]), st.integers(1, 9), max_size=3), max_size=5))  # fmt: skip
def test_a_text_is_worth_something_exactly_if_it_shares_a_word(
    query: list[str], texts: list[dict[str, int]]
) -> None:
    worth = scores(query, texts)
    assert [value > 0 for value in worth] == [any(word in text for word in query) for text in texts]
    assert scores([*query, *query], texts) == worth


def test_the_kinds_of_files_are_those_of_the_docs() -> None:
    assert set(walking.MEDIA_TYPES) == {".md", ".markdown", ".txt", ".pdf"}


@given(st.text("ab \n", max_size=4_000))
def test_a_text_is_cut_into_passages_and_nothing_is_lost(text: str) -> None:
    passages = list(reading._passages(text))  # pyright: ignore[reportPrivateUsage]
    assert all(0 < len(passage) <= reading.PASSAGE for passage in passages)
    assert "".join("".join(passages).split()) == "".join(text.split())


async def test_a_file_is_read_once_for_all_who_want_it_and_a_broken_one_is_not_tried_again(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = list[int]()
    pages_of = reading.pages_of
    monkeypatch.setattr(
        reading, "pages_of", lambda *args: (read.append(1), time.sleep(0.05), pages_of(*args))[2]
    )
    (root / "main" / "a.md").write_text("Tulips bloom.")
    (root / "main" / "b.pdf").write_bytes(b"%PDF-1.4 nothing")
    await asyncio.gather(*(found("tulips") for _ in range(4)))
    assert len(read) == 2

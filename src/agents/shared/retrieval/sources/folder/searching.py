"""Searches a tenant's folder, off the event loop, in threads of its own."""

import asyncio
import re
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from agents.shared.errors import PermanentError
from agents.shared.retrieval.passages import Hit
from agents.shared.retrieval.sources.folder.bm25 import scores
from agents.shared.retrieval.sources.folder.reading import Reader
from agents.shared.words import stems

READERS = 2
_readers = ThreadPoolExecutor(READERS, thread_name_prefix="research-folder")
"""Threads of our own: long documents must not take those that everything else in the process shares."""
TENANT = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")
LONGEST_S = 300.0
SHOWN = 25
"""How many of a document's pages are told of, at most."""

Report = Callable[[str, int, int], None]


class FolderMissing(PermanentError):
    """There is no folder to search: set STATIONMASTER_RESEARCH_FOLDER, and make one with the tenant's name below it."""


class FolderTooSlow(PermanentError):
    """The folder could not be read in five minutes: name a part of it (`folder`); what was read is found next time."""


@dataclass
class _State:
    """One per process."""

    root: Path | None = None
    reader: Reader = field(default_factory=Reader)


_state = _State()


def configure(root: Path | None) -> None:
    """The folder below which each tenant has one, or none: called where the process is put together."""
    _state.root = root
    _state.reader = Reader()


def is_offered() -> bool:
    """Whether there is a folder."""
    return _state.root is not None


async def search(
    tenant: str, query: str, *, part: str, limit: int, report: Report
) -> tuple[list[Hit], list[str]]:
    """The best passages of the tenant's documents, and notes on what could not be read.

    `report("handbook.pdf", 3, 12)` is called on the loop, about every page that is read anew (of a long document some).
    Raises FolderMissing and FolderTooSlow.
    """
    root = _state.root
    if root is None or not TENANT.fullmatch(tenant):
        raise FolderMissing
    loop, stop = asyncio.get_running_loop(), threading.Event()
    context = copy_context()  # of the node, in which LangGraph looks for where its stream goes

    def told(name: str, page: int, of: int) -> None:
        if (page == of or page % -(-of // SHOWN) == 0 or page == 1) and not stop.is_set():
            loop.call_soon_threadsafe(report, name, page, of, context=context)

    work = partial(_search, _state.reader, root / tenant, part, query, limit, told, stop)
    try:
        async with asyncio.timeout(LONGEST_S):
            return await loop.run_in_executor(_readers, work)
    except TimeoutError as error:
        raise FolderTooSlow from error
    finally:
        stop.set()  # a run that was cancelled leaves the thread to the next one


def _search(
    reader: Reader, root: Path, part: str, query: str, limit: int, report: Report, stop: threading.Event
) -> tuple[list[Hit], list[str]]:
    if not root.is_dir():
        raise FolderMissing(f"there is no folder {root.name!r} below STATIONMASTER_RESEARCH_FOLDER: make it")
    documents, notes = reader.read(root, part, report, stop)
    pieces = [(document, piece) for document in documents for piece in document.pieces]
    worth = scores(stems(query), [piece.stems for _, piece in pieces])
    best = sorted((at for at in range(len(pieces)) if worth[at] > 0), key=lambda at: (-worth[at], at))[:limit]
    hits = []
    for document, piece in (pieces[at] for at in best):
        place = f"{document.name}, page {piece.page}" if piece.page else document.name
        hits.append(Hit(Path(document.name).name, place, piece.text))
    return hits, notes

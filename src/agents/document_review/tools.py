"""What the nodes do: read documents and their pages, look through them in threads, keep and publish reports.

Keys are made of stable state (thread and number of the review). What takes longer than a few milliseconds, or reads a
file, runs in a thread: the loop serves other runs.
"""

import asyncio
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import TypeVar

from agents.document_review import compliance, library, pii, security
from agents.document_review.finding import Finding, Span, masked
from agents.document_review.library import Decided, File
from agents.document_review.report import severity_of
from agents.document_review.rules.kinds import is_legal as uses_legal_words
from agents.document_review.state import Document, Report, State
from agents.shared.extraction import Extracted, pages_of
from agents.shared.resilience import breaker

Made = TypeVar("Made")
READERS = max(2, os.cpu_count() or 2)
_readers = ThreadPoolExecutor(READERS, thread_name_prefix="document-review")
"""Threads of our own: long documents must not take those that everything else in the process shares."""


def review_key(state: State, thread_id: str) -> str:
    """What names the thread's current review in the tables.

    The bytes are part of it: where a thread was lost or forked, a review of something else is another one.
    """
    document = state.get("document")
    return f"{thread_id}:{state.get('turns', 0)}:{document['sha256'][:12] if document else '-'}"


async def find_file(tenant: str, document_id: str) -> File | None:
    """The document, or None."""
    async with breaker("documents"):
        return await library.find_file(tenant, document_id)


async def extract(tenant: str, file: File, max_pages: int) -> tuple[Document, Extracted]:
    """The text of its pages, which is kept. Raises Unreadable."""
    extracted = await _in_thread(lambda: pages_of(file.content, file.media_type, max_pages))
    if not extracted.is_empty:
        await library.keep_pages(tenant, file, extracted)
    document: Document = {
        "document_id": file.document_id,
        "title": file.title,
        "media_type": file.media_type,
        "sha256": file.sha256,
        "pages": len(extracted.pages),
        "characters": sum(map(len, extracted.pages)),
    }
    return document, extracted


async def read_pages(tenant: str, document: Document) -> list[str]:
    """The text of the pages."""
    async with breaker("documents"):
        return await library.read_pages(tenant, document)


async def look_through(pages: Sequence[str], rule: Callable[[str], list[Span]]) -> list[Finding]:
    """What a rule finds, page by page, with its place."""
    return await _in_thread(lambda: _look_through(pages, rule))


async def find_pii(pages: Sequence[str]) -> list[Finding]:
    """Personal data."""
    return await look_through(pages, pii.spans)


async def find_risks(pages: Sequence[str]) -> list[Finding]:
    """Secrets, active content and what is hidden."""
    return await look_through(pages, security.spans)


async def find_gaps(pages: Sequence[str], kind: str) -> list[Finding]:
    """Forbidden promises, and what a document of this kind lacks."""
    found = await look_through(pages, compliance.spans)
    return found + await _in_thread(lambda: list(compliance.missing(kind, pages)))


async def is_legal(pages: Sequence[str]) -> bool:
    """Whether it promises what nobody may, or uses the words of obligations: no model has to say so."""
    # Page by page: a search holds the interpreter, and so everybody, until it ends.
    return await _in_thread(lambda: any(compliance.spans(page) or uses_legal_words(page) for page in pages))


async def excerpt(pages: Sequence[str], characters: int) -> str:
    """The beginning of the document, in which personal data and secrets are masked: what a model may see."""
    return await _in_thread(lambda: _excerpt(pages, characters))


async def decide(tenant: str, state: State, report: Report, by: str) -> Decided:
    """Publish or withhold the report that was shown."""
    return await library.decide(
        tenant,
        report["key"],
        report["digest"],
        publish=state.get("publish", True),
        by=by,
        note=state.get("note", ""),
        severity=state.get("severity") or severity_of(state.get("sections", {})),
    )


async def _in_thread(work: Callable[[], Made]) -> Made:
    return await asyncio.get_running_loop().run_in_executor(_readers, work)


def _look_through(pages: Sequence[str], rule: Callable[[str], list[Span]]) -> list[Finding]:
    spans = ((span.on(page) for span in rule(text)) for page, text in enumerate(pages, 1))
    return list(chain.from_iterable(spans))


def _excerpt(pages: Sequence[str], characters: int) -> str:
    text = "\n\n".join(pages)[: characters * 2]
    for rule in (pii.spans, security.spans):
        text = masked(text, rule(text))
    return text[:characters]

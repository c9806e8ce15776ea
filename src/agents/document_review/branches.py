"""The branches, which run side by side: each looks through the document for one thing and writes one section.

A branch that fails for a known cause says so in its section, and the others are not lost: the report is incomplete.
"""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

from langgraph.runtime import Runtime

from agents.document_review import library, tools
from agents.document_review.asking import Sentiment, ask
from agents.document_review.context import Context
from agents.document_review.finding import SEVERITIES, Finding, worst
from agents.document_review.state import Branch, Document, Section, State, Update
from agents.shared.failures import degraded
from agents.shared.resilience import GivenUp, giving_up
from agents.shared.running import tenant_on, thread_id

HIGHLIGHTS = 3
"""Findings that stand in state; the table has all."""
LONGEST = 160
FAILED = "FAILED: this part of the review could not be done"
"""Why is for callers (`degraded`) and the log; this is published where somebody accepts it."""


async def sentiment(state: State, runtime: Runtime[Context]) -> Update:
    """How its author feels, as a model reads it in masked text."""
    runtime.stream_writer({"progress": "judging the tone"})
    async with giving_up(runtime) as given_up:
        pages = await tools.read_pages(await tenant_on(runtime), _document(state))
        excerpt = await tools.excerpt(pages, Context.of(runtime).excerpt_characters)
        found, update = await ask("sentiment", excerpt, Sentiment, runtime)
        section: Section = {
            "status": "done",
            "summary": f"{found.label} ({found.score:+.2f})",
            "counts": {},
            "severity": "medium" if found.label == "negative" else "none",
            "highlights": [_cut(reason) for reason in found.reasons[:HIGHLIGHTS]],
        }
        return {**update, "sections": {"sentiment": section}}
    return _failed("sentiment", given_up)


async def pii(state: State, runtime: Runtime[Context]) -> Update:
    """Personal data, with their places."""
    return await _by_rules("pii", state, runtime, tools.find_pii)


async def security(state: State, runtime: Runtime[Context]) -> Update:
    """Secrets, active content, hidden characters, orders to models."""
    return await _by_rules("security", state, runtime, tools.find_risks)


async def compliance(state: State, runtime: Runtime[Context]) -> Update:
    """What it has to say and does not, and what it may not promise."""
    kind = state.get("kind") or "other"
    return await _by_rules("compliance", state, runtime, lambda pages: tools.find_gaps(pages, kind))


async def standard_processor(state: State, runtime: Runtime[Context]) -> Update:
    """For a document that no branch is for: what can be said of any."""
    async with giving_up(runtime) as given_up:
        pages = await tools.read_pages(await tenant_on(runtime), _document(state))
        words = sum(len(page.split()) for page in pages)
        empty = sum(not page.strip() for page in pages)
        summary = (
            f"{words:,} words on {len(pages):,} pages, {empty} of them empty; nothing that a branch looks for"
        )
        section: Section = {
            "status": "done", "summary": summary, "counts": {}, "severity": "none", "highlights": []
        }  # fmt: skip
        return {"sections": {"standard_processor": section}}
    return _failed("standard_processor", given_up)


async def _by_rules(
    branch: Branch,
    state: State,
    runtime: Runtime[Context],
    find: Callable[[Sequence[str]], Awaitable[list[Finding]]],
) -> Update:
    runtime.stream_writer({"progress": f"looking through the pages: {branch}"})
    async with giving_up(runtime) as given_up:
        tenant, document = await tenant_on(runtime), _document(state)
        found = await find(await tools.read_pages(tenant, document))
        await library.keep_findings(
            tenant, tools.review_key(state, thread_id(runtime)), branch, document, found
        )
        return {"sections": {branch: _section(found)}}
    return _failed(branch, given_up)


def _section(found: Sequence[Finding]) -> Section:
    counts = Counter(finding.kind for finding in found)
    said = ", ".join(f"{number:,} {kind.replace('_', ' ')}" for kind, number in counts.most_common())
    ranked = sorted(found, key=lambda finding: -SEVERITIES.index(finding.severity))
    return {
        "status": "done",
        "summary": said or "nothing found",
        "counts": dict(counts),
        "severity": worst(finding.severity for finding in found),  # type: ignore[typeddict-item]
        "highlights": [_cut(str(finding)) for finding in ranked[:HIGHLIGHTS]],
    }


def _failed(branch: Branch, given_up: GivenUp) -> Update:
    section: Section = {
        "status": "failed",
        "summary": FAILED,
        "counts": {},
        "severity": "none",
        "highlights": [],
    }
    return {"sections": {branch: section}, **degraded(branch, given_up)}


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _document(state: State) -> Document:
    document = state.get("document")
    if document is None:
        raise ValueError("there is no document to look through; `load` sets it")
    return document

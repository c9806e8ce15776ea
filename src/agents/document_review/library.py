"""Documents, pages, findings, reports and publications in Postgres; each statement has a tenant."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

from agents.document_review.finding import Finding
from agents.document_review.state import Document
from agents.shared.database import Connection, connection
from agents.shared.errors import PermanentError
from agents.shared.extraction import Extracted
from agents.shared.queries import load

_SQL = load(__file__)
_FIND_FILE, _COUNT_PAGES, _KEEP_PAGES = _SQL["find_file"], _SQL["count_pages"], _SQL["keep_pages"]
_READ_PAGES, _FORGET, _ADD_FINDING = _SQL["read_pages"], _SQL["forget_findings"], _SQL["add_finding"]
_WORST, _KEEP_REPORT, _FIND_REVIEW = _SQL["worst_findings"], _SQL["keep_report"], _SQL["find_review"]
_PUBLISH, _DECIDE = _SQL["publish"], _SQL["decide"]

Decided = Literal["published", "withheld", "stale"]


class Gone(PermanentError):
    """The document, its pages or its report is not there (any more): start a new review."""


class DecidedAlready(PermanentError):
    """Another report of this review was published or withheld: start a new review."""


@dataclass(frozen=True)
class File:
    """A document's bytes."""

    document_id: str
    title: str
    media_type: str
    content: bytes
    sha256: str


async def find_file(tenant: str, document_id: str) -> File | None:
    """The document, or None when the tenant has none of that id."""
    async with connection() as conn:
        row = await _one(conn, _FIND_FILE, tenant=tenant, document_id=document_id)
    return File(**{**row, "content": bytes(row["content"])}) if row else None


async def kept_pages(tenant: str, file: File) -> tuple[int, int]:
    """How many pages of exactly these bytes are kept, and how many characters they hold."""
    async with connection() as conn:
        row = await _one(conn, _COUNT_PAGES, tenant=tenant, document_id=file.document_id, sha256=file.sha256)
    return (row["pages"], row["characters"]) if row else (0, 0)


async def keep_pages(tenant: str, file: File, extracted: Extracted) -> None:
    """Keep the text of all pages."""
    asked = {"tenant": tenant, "document_id": file.document_id, "sha256": file.sha256}
    async with connection() as conn:
        await conn.execute(_KEEP_PAGES, {**asked, "texts": extracted.pages})


async def read_pages(tenant: str, document: Document) -> list[str]:
    """The text of the pages. Raises Gone."""
    asked = {"tenant": tenant, "document_id": document["document_id"], "sha256": document["sha256"]}
    async with connection() as conn:
        rows = await (await conn.execute(_READ_PAGES, asked)).fetchall()
    if len(rows) != document["pages"]:
        raise Gone(f"{len(rows)} of {document['pages']} pages of {document['document_id']} are there")
    return [row["text"] for row in rows]


async def keep_findings(
    tenant: str, key: str, branch: str, document: Document, found: Sequence[Finding]
) -> None:
    """Keep what a branch found, instead of what an earlier run of it found for this review."""
    rows = [
        {
            "tenant": tenant, "key": key, "branch": branch, "number": number, "document_id": document["document_id"],
            "kind": finding.kind, "severity": finding.severity, "masked": finding.masked, "page": finding.page,
            "start_at": finding.start, "end_at": finding.end,
        }
        for number, finding in enumerate(found, 1)
    ]  # fmt: skip
    async with connection() as conn:
        await conn.execute(_FORGET, {"tenant": tenant, "key": key, "branch": branch})
        async with conn.cursor() as cursor:
            await cursor.executemany(_ADD_FINDING, rows)


async def worst_findings(tenant: str, key: str, limit: int) -> dict[str, list[Finding]]:
    """The worst that each branch found."""
    async with connection() as conn:
        rows = await (await conn.execute(_WORST, {"tenant": tenant, "key": key, "limit": limit})).fetchall()
    found: dict[str, list[Finding]] = {}
    for row in rows:
        place = row["page"], row["start_at"], row["end_at"]
        finding = Finding(row["kind"], row["severity"], row["masked"], *place)
        found.setdefault(row["branch"], []).append(finding)
    return found


async def keep_report(
    tenant: str, key: str, document: Document, *, kind: str, complete: bool, markdown: str
) -> str:
    """Keep a report; its digest. Raises DecidedAlready where another one was decided about."""
    digest = sha256(markdown.encode()).hexdigest()
    row = {
        "tenant": tenant, "key": key, "document_id": document["document_id"], "sha256": document["sha256"],
        "kind": kind, "complete": complete, "markdown": markdown, "digest": digest,
    }  # fmt: skip
    async with connection() as conn:
        if await _one(conn, _KEEP_REPORT, **row) is None:
            decided = await _one(conn, _FIND_REVIEW, tenant=tenant, key=key)
            if decided is None or decided["digest"] != digest:
                raise DecidedAlready
    return digest


async def decide(
    tenant: str, key: str, digest: str, *, publish: bool, by: str, note: str, severity: str
) -> Decided:
    """Publish or withhold the report with this digest, once; what came of it, now or the first time.

    `stale`: the report, or the document that it is about, is another by now. Raises Gone.
    """
    async with connection() as conn:
        row = await _one(conn, _FIND_REVIEW, tenant=tenant, key=key)
        if row is None:
            raise Gone(f"tenant {tenant!r} has no report {key!r}")
        if row["status"] != "reported":
            return row["status"]
        if publish and (row["digest"] != digest or row["sha256"] != row["sha256_now"]):
            return "stale"
        if publish:
            copied = {name: row[name] for name in ("document_id", "title", "markdown")}
            shown = {"tenant": tenant, "key": key, "published_by": by, "severity": severity}
            await conn.execute(_PUBLISH, {**shown, **copied})
        status = "published" if publish else "withheld"
        decided = {"tenant": tenant, "key": key, "status": status, "decided_by": by, "note": note}
        await conn.execute(_DECIDE, decided)
        return status


async def _one(conn: Connection, query: Any, **asked: Any) -> Any:
    return await (await conn.execute(query, asked)).fetchone()

"""Documents for the review: put into the table from files, listed, and the published report of one."""

import asyncio
import re
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from psycopg import AsyncConnection
from psycopg.errors import CheckViolation
from psycopg.rows import DictRow

from stationmaster.errors import StationmasterError
from stationmaster.postgres import connect
from stationmaster.postgres.queries import load as load_queries

_SQL = load_queries(Path(__file__).with_suffix(".sql"))
_PUT, _LISTED, _PUBLISHED = _SQL["put"], _SQL["listed"], _SQL["published"]
_DEMO = Path(__file__).parent / "content" / "documents"
TYPES = {
    ".txt": "text/plain",
    ".text": "text/plain",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".pdf": "application/pdf",
}
MAX_BYTES = 20 * 1024 * 1024


class DocumentRefused(StationmasterError):
    """The file can't be put among the documents."""


@dataclass(frozen=True)
class Listed:
    """A document as it is listed; `review` is what became of its last one, if it had one."""

    document_id: str
    title: str
    media_type: str
    bytes: int
    uploaded_by: str
    uploaded_at: datetime
    review: str | None


async def put(
    uri: str, path: Path, *, tenant: str, document_id: str | None = None, title: str | None = None, by: str
) -> tuple[str, bool]:
    """Put a file where the review finds it; its id, and whether that is new. Raises DocumentRefused."""
    async with await connect(uri) as conn:
        return await put_in(conn, path, tenant=tenant, document_id=document_id, title=title, by=by)


async def put_in(
    conn: AsyncConnection[DictRow],
    path: Path,
    *,
    tenant: str,
    document_id: str | None = None,
    title: str | None = None,
    by: str,
) -> tuple[str, bool]:
    """The same in a transaction of the caller."""
    media_type = TYPES.get(path.suffix.lower())
    if media_type is None:
        raise DocumentRefused(
            f"{path.name} is no text, Markdown or PDF: name it .txt, .md or .pdf if it is one"
        )
    content = await asyncio.to_thread(path.read_bytes)
    if len(content) > MAX_BYTES:
        raise DocumentRefused(f"{path.name} has {len(content):,} bytes and {MAX_BYTES:,} are taken: split it")
    chosen = document_id or re.sub(r"[^A-Za-z0-9._-]+", "-", path.stem).strip("-._")[:120] or "document"
    row = {
        "tenant": tenant, "document_id": chosen, "title": title or path.stem, "media_type": media_type,
        "content": content, "uploaded_by": by,
    }  # fmt: skip
    try:
        written = await (await conn.execute(_PUT, row)).fetchone()
    except CheckViolation as error:
        raise DocumentRefused(
            f"{chosen!r} is no id of a document: take letters, digits, dot, dash and underscore, at most 120"
        ) from error
    assert written is not None
    return chosen, written["new"]


async def listed(uri: str, tenant: str) -> list[Listed]:
    """A tenant's documents, newest first."""
    async with await connect(uri) as conn:
        rows = await (await conn.execute(_LISTED, {"tenant": tenant})).fetchall()
    return [Listed(**row) for row in rows]


async def published(uri: str, tenant: str, document_id: str) -> str | None:
    """The newest report on the document that was published, as Markdown; None where there is none."""
    async with await connect(uri) as conn:
        row = await (
            await conn.execute(_PUBLISHED, {"tenant": tenant, "document_id": document_id})
        ).fetchone()
    return row["markdown"] if row else None


async def add_demo_documents(conn: AsyncConnection[DictRow]) -> None:
    """The documents of a made-up shop."""
    for path in sorted(_DEMO.iterdir()):
        await put_in(conn, path, tenant="main", by="shop seed")

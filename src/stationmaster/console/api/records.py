"""What was done: a review's history, the audit with its export and check, and what people changed in proposals."""

from collections.abc import AsyncIterator
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

from fastapi import Query
from starlette.responses import StreamingResponse

from stationmaster.console.api.asking import AtHand, Lead, Overseer, Who, declared
from stationmaster.console.api.bodies import Word
from stationmaster.console.json import JSONResponse, dumps
from stationmaster.postgres.queries import load
from stationmaster.reviews import audit, json_text, store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Pool

EDITS = load(Path(__file__).with_suffix(".sql"))["edits"]
JSON_LINES = "application/x-ndjson"
LINES = {200: {"content": {JSON_LINES: {"schema": {"type": "string"}}}}}


@declared(response_model=list[Any])
async def get_history(review_id: str, who: Who, at_hand: AtHand) -> JSONResponse:
    """What happened with one review, oldest first."""
    async with at_hand.pool.connection() as conn:
        review = await store.get(conn, review_id, who)
        return JSONResponse([asdict(entry) for entry in await audit.history(conn, review.id)])


@declared(response_model=dict[str, Any])
async def search_audit(
    who: Who, at_hand: AtHand, review_id: Word | None = None, actor: Word | None = None,
    action: Word | None = None, q: Word | None = None, before: Annotated[int | None, Query(ge=1, lt=2**63)] = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> JSONResponse:  # fmt: skip
    """Entries of the audit about reviews in scope, newest first; `next` is the `before` of the next page."""
    async with at_hand.pool.connection() as conn:
        if review_id is not None:
            review_id = (await store.get(conn, review_id, who)).id
        found = await audit.search(
            conn, who.scope(), review_id=review_id, actor=actor, action=action, words=q, before=before, limit=limit
        )  # fmt: skip
    onward = found[-1].seq if len(found) == limit else None
    return JSONResponse({"entries": [asdict(entry) for entry in found], "next": onward})


@declared(response_class=StreamingResponse, responses=LINES)
async def export_audit(who: Overseer, at_hand: AtHand) -> StreamingResponse:
    """The whole audit as JSON lines, to be kept elsewhere and verified without this database."""
    async with at_hand.pool.connection() as conn:
        await audit.record(conn, review_id=None, actor=who.name, action="exported")
    key = at_hand.settings.audit_key
    lines = audit.export(at_hand.pool, key=key.get_secret_value() if key else None)
    return _lines(lines, "audit.jsonl")


@declared(response_model=dict[str, Any])
async def verify_audit(_: Overseer, at_hand: AtHand) -> JSONResponse:
    """Whether the chain holds, or where it breaks."""
    verdict = await audit.verify_stored(at_hand.pool)
    return JSONResponse({"ok": isinstance(verdict, audit.Verified), "said": str(verdict), **asdict(verdict)})


@declared(response_class=StreamingResponse, responses=LINES)
async def export_edits(
    who: Lead, at_hand: AtHand, graph: Word | None = None, since: datetime | None = None
) -> StreamingResponse:
    """What people changed in proposals, before and after, as JSON lines: material for evaluation."""
    return _lines(_edits(at_hand.pool, who, graph, since), "edits.jsonl")


async def _edits(
    pool: Pool, who: Identity, graph: str | None, since: datetime | None
) -> AsyncIterator[bytes]:
    async with pool.connection() as conn, conn.cursor("edits_export") as cursor:
        await cursor.execute(EDITS, {**who.scope(), "graph": graph, "since": since})
        async for row in cursor:
            for name in ("payload", "edits", "answer"):
                row[name] = json_text.read(row[name])
            yield dumps({**row, "review_id": str(row["review_id"])}) + b"\n"


def _lines(lines: AsyncIterator[Any], name: str) -> StreamingResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingResponse(lines, media_type=JSON_LINES, headers=headers)

"""News for pages: what happens to reviews in scope, as server-sent events; the audit is the log that they follow."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated

from fastapi import Header, Query, Request
from starlette.responses import StreamingResponse

from stationmaster.console import session
from stationmaster.console.api.asking import AtHand, Who, declared
from stationmaster.console.json import dumps
from stationmaster.console.services import Services
from stationmaster.postgres.queries import load
from stationmaster.reviews.access.errors import NotSignedIn
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Pool

QUERIES = load(Path(__file__).with_suffix(".sql"))
NEWEST = QUERIES["newest"]
SINCE = QUERIES["since"]

BATCH = 200
# Whoever was away for longer is told to load the page again instead of hearing it all.
MOST_BEHIND = 1000
KEEP_ALIVE_S = 15.0
# Many changes at once are told together: a burst of them must not become one query each for every open page.
GATHER_S = 0.05
RECONNECT_MS = 2000
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
STREAM = {200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}}}


@declared(response_class=StreamingResponse, responses=STREAM)
async def stream_events(
    request: Request, who: Who, at_hand: AtHand,
    last_event_id: Annotated[str | None, Header(alias="Last-Event-ID")] = None,
    after: Annotated[int | None, Query(ge=0, lt=2**63)] = None,
) -> StreamingResponse:  # fmt: skip
    """What happens to reviews in scope, as server-sent events.

    `event: review` carries review_id, action, state and phase; its id is the place in the log, and with it as
    Last-Event-ID a stream goes on without a gap, in whatever process. `event: reload`: too much was missed.
    """
    heard = int(last_event_id) if last_event_id and last_event_id.isdecimal() else after
    start = await _newest(at_hand.pool) if heard is None else min(heard, 2**63 - 1)
    return StreamingResponse(
        _stream(request, who, at_hand, start), media_type="text/event-stream", headers=HEADERS
    )


async def _stream(request: Request, who: Identity, at_hand: Services, heard: int) -> AsyncIterator[bytes]:
    yield f"retry: {RECONNECT_MS}\nid: {heard}\n: listening\n\n".encode()
    spoken = asyncio.get_running_loop().time()
    while not at_hand.changes.closing:
        try:
            who = await session.fresh(request)  # roles and groups change, sessions end
        except NotSignedIn:
            yield b"event: signed_out\ndata: {}\n\n"
            return
        said, heard = await _news(at_hand.pool, who, heard)
        now = asyncio.get_running_loop().time()
        if said or now - spoken > KEEP_ALIVE_S:
            spoken = now
            yield said or b": still here\n\n"
        if not said:
            await at_hand.changes.wait()
            await asyncio.sleep(GATHER_S)


async def _news(pool: Pool, who: Identity, heard: int) -> tuple[bytes, int]:
    """What to say, and up to where it has been said."""
    newest = await _newest(pool)
    if newest - heard > MOST_BEHIND or newest < heard:
        return b"id: %d\nevent: reload\ndata: {}\n\n" % newest, newest
    if newest == heard:
        return b"", heard
    parameters = {**who.scope(), "after": heard, "until": newest, "limit": BATCH}
    async with pool.connection() as conn:
        rows = await (await conn.execute(SINCE, parameters)).fetchall()
    reached = newest if len(rows) < BATCH else rows[-1]["seq"]
    said = b"".join(b"id: %d\nevent: review\ndata: %s\n\n" % (row.pop("seq"), dumps(row)) for row in rows)
    return said, reached


async def _newest(pool: Pool) -> int:
    async with pool.connection() as conn:
        row = await (await conn.execute(NEWEST)).fetchone()
    return row["seq"] if row else 0

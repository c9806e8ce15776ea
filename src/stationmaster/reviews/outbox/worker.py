"""Send what is due, many at a time: nothing of the database is held while a receiver takes its time."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import timedelta
from typing import TypeAlias

from stationmaster.reviews.database import Pool
from stationmaster.reviews.outbox import queue
from stationmaster.reviews.outbox.queue import Dispatch, Medium, Receiver

AT_ONCE = 20
LOOK_AGAIN_S = 1.0
ROUND_S = 10.0
"""After it no more is claimed: a caller that has to stop is not kept by a long backlog."""


class NotAccepted(Exception):
    """Why a receiver has not taken a message; the text is shown to people. `final`: it never will."""

    def __init__(self, why: str, *, final: bool = False) -> None:
        self.why, self.final = why, final
        super().__init__(why)


Send: TypeAlias = Callable[[Dispatch], Awaitable[None]]


async def deliver_due(
    pool: Pool, medium: Medium, receivers: Sequence[Receiver], send: Send, *, lease: timedelta
) -> int:
    """Spread and send until nothing is due, or ROUND_S is over; how many sends ended, well or not. `send` raises
    NotAccepted.

    A receiver that hangs keeps its own few places of AT_ONCE busy, and what comes in meanwhile for others is sent.
    A worker that is killed, or cancelled, between sending and marking sends again after `lease`, under the same id.
    """
    known, until = {who.key for who in receivers}, time.monotonic() + ROUND_S
    ended, running = 0, set[asyncio.Task[None]]()
    try:
        while True:
            if time.monotonic() < until:
                due = await _take(pool, medium, receivers, AT_ONCE - len(running), lease)
                running |= {asyncio.create_task(_one(pool, dispatch, known, send)) for dispatch in due}
            if not running:
                return ended
            finished, running = await asyncio.wait(
                running, timeout=LOOK_AGAIN_S, return_when=asyncio.FIRST_COMPLETED
            )
            for task in finished:
                task.result()
            ended += len(finished)
    finally:
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)


async def _take(
    pool: Pool, medium: Medium, receivers: Sequence[Receiver], limit: int, lease: timedelta
) -> list[Dispatch]:
    async with pool.connection() as conn:
        await queue.spread(conn, medium, receivers)
        return await queue.claim(conn, medium, limit=limit, lease=lease)


async def _one(pool: Pool, dispatch: Dispatch, known: set[str], send: Send) -> None:
    reason = await _reason(dispatch, known, send)
    async with pool.connection() as conn:
        if reason is None:
            await queue.sent(conn, dispatch)
        else:
            await queue.failed(conn, dispatch, reason.why, final=reason.final)


async def _reason(dispatch: Dispatch, known: set[str], send: Send) -> NotAccepted | None:
    if dispatch.receiver not in known:
        return NotAccepted("is configured no more: it was taken out of the settings", final=True)
    try:
        await send(dispatch)
    except NotAccepted as reason:
        return reason
    return None

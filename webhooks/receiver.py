"""`POST /webhooks/langgraph`: know the sender, keep the raw body once, answer; the work is done later.

app.routes.extend(receiver.routes(settings, lambda request: request.state.services.pool))
"""

import asyncio
import hashlib
import logging
from collections.abc import Callable
from dataclasses import replace

import psycopg
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from stationmaster.reviews.database import Pool
from stationmaster.settings import Settings
from webhooks.arms import read_arm
from webhooks.body import LIMIT_BYTES, TooLarge, Unreadable, read_body, read_hook
from webhooks.keeping import DatabaseAway, Delivery, Keeper
from webhooks.refusals import Refusals
from webhooks.senders import ID_LENGTH, Known, Senders, Unknown

LOG = logging.getLogger(__name__)
PATH = "/webhooks/langgraph"
BODY_S = 10.0

PoolOf = Callable[[Request], Pool]


def routes(settings: Settings, pool_of: PoolOf) -> list[Route]:
    """The receiver's route. `pool_of` finds the database pool when a request is there: apps open theirs late."""
    receiver = Receiver(Senders.of(settings), pool_of)
    return [Route(PATH, receiver.receive, methods=["POST"])]


class Receiver:
    """204 kept (or known already); 401, 408, 413 turned away; 503 the database is away, so come again."""

    def __init__(self, senders: Senders, pool_of: PoolOf) -> None:
        self._senders = senders
        self._pool_of = pool_of
        self._refusals = Refusals()
        self._keeper = Keeper()

    async def receive(self, request: Request) -> Response:
        pool = self._pool_of(request)
        try:
            sender, body = await self._known(request)
        except Unknown as refusal:
            self._refusals.count(refusal.reason, pool)
            return _turned_away(401, refusal.reason, str(refusal))
        except TooLarge:
            self._refusals.count("too_large", pool)
            return _turned_away(413, "too_large", f"a delivery has {LIMIT_BYTES} bytes at most")
        except TimeoutError:
            self._refusals.count("too_slow", pool)
            return _turned_away(408, "too_slow", f"a delivery comes within {BODY_S:.0f} s")
        except ClientDisconnect:
            return Response(status_code=400)  # to nobody
        try:
            await self._keep(_delivery(sender, request.headers, body), pool)
        except DatabaseAway as error:
            LOG.warning("a delivery could not be kept, its sender is asked to come again: %r", error)
            return JSONResponse({"code": "database_away"}, 503, {"Retry-After": "1"})
        return Response(status_code=204)

    async def _keep(self, delivery: Delivery, pool: Pool) -> None:
        """What the database refuses would be refused each time it came again: it is kept without its arm, or as one
        that can't be read."""
        try:
            await self._keeper.keep(delivery, pool)
        except psycopg.DataError as error:
            LOG.warning("the database refuses a delivery: %r", error)
            if delivery.canary_id is not None:
                await self._keep(_without_arm(delivery), pool)
            elif delivery.state == "new":
                why = f"the database refuses it: {type(error).__name__}"
                bare = Delivery(delivery.dedup_key, delivery.sender, delivery.body, "unreadable", error=why)
                await self._keeper.keep(bare, pool)
            else:
                raise

    async def _known(self, request: Request) -> tuple[Known, bytes]:
        """The body of a known sender. Unknown, TooLarge, ClientDisconnect; TimeoutError: it trickles."""
        peer = request.client.host if request.client else None
        sender = self._senders.before_body(request.headers, peer)
        async with asyncio.timeout(BODY_S):
            body = await read_body(request)
        if sender == "signature":
            self._senders.verify(request.headers, body)
        return sender, body


def _delivery(sender: Known, headers: Headers, body: bytes) -> Delivery:
    """What can't be read is kept as that, for operators to see."""
    key = _dedup_key(headers, body)
    try:
        hook = read_hook(body)
    except Unreadable as error:
        return Delivery(key, sender, body, "unreadable", error=str(error))
    run_id = hook.run_id and str(hook.run_id)
    delivery = Delivery(key, sender, body, "new", str(hook.thread_id), run_id, hook.status)
    run = read_arm(body)
    if run is None:
        return delivery
    stamp = run.metadata.canary
    return replace(
        delivery, canary_id=stamp.id, arm=stamp.arm, assistant=stamp.assistant, version=stamp.version,
        created_at=run.created_at, started_at=run.run_started_at, ended_at=run.run_ended_at,
    )  # fmt: skip


def _without_arm(delivery: Delivery) -> Delivery:
    of_arm = ("canary_id", "arm", "assistant", "version", "created_at", "started_at", "ended_at")
    return replace(delivery, **dict.fromkeys(of_arm))


def _dedup_key(headers: Headers, body: bytes) -> str:
    """The sender's id of the delivery; the stock Agent Server sends none, and repeats the body to the byte."""
    given = headers.get("webhook-id", "")
    if 0 < len(given) <= ID_LENGTH:
        return f"id:{given}"
    return f"sha256:{hashlib.sha256(body).hexdigest()}"


def _turned_away(status: int, reason: str, detail: str) -> Response:
    """What is still to come of the body is dropped as it comes: closing the connection on it would have the sender
    see a reset instead of the reason. A sender that trickles is let go."""
    problem = {"code": reason, "detail": detail, "status": status}
    headers = {"Connection": "close"} if status == 408 else {}
    return JSONResponse(problem, status, headers, media_type="application/problem+json")

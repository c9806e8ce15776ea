"""Runs.Stream: a client listens to a run, from the start or from where it was cut off, to its end."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from uuid import UUID

import structlog
from langgraph_api.serde import json_dumpb
from langgraph_sdk import Auth
from starlette.exceptions import HTTPException

from langgraph_runtime_community import database
from langgraph_runtime_community.database import json
from langgraph_runtime_community.errors import RuntimeTrouble
from langgraph_runtime_community.identity import WORKER_ID
from langgraph_runtime_community.lease import LEASE
from langgraph_runtime_community.ops.access import Context, as_uuid, ask
from langgraph_runtime_community.stopping import STOP
from langgraph_runtime_community.streams.events import Event, Told, parse_id, wanted
from langgraph_runtime_community.streams.gaps import forgotten
from langgraph_runtime_community.streams.hub import HUB, Subscription
from langgraph_runtime_community.streams.keeping import KEEPER, kept
from langgraph_runtime_community.streams.publishing import publish
from langgraph_runtime_community.streams.watching import IN_FLIGHT, WATCHER, watch
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("run_stream.sql"))
Frame = tuple[bytes, bytes, bytes | None]
Standing = tuple[bool, bool, list[Event]]
_cancelling: set[asyncio.Task[None]] = set()
logger = structlog.stdlib.get_logger(__name__)


class Stream:
    """The server's operations on a run's stream."""

    @staticmethod
    async def subscribe(run_id: UUID | str, thread_id: UUID | str | None = None) -> Subscription:
        """Listen from now on, to a run that may not exist yet."""
        return HUB.listen(as_uuid(run_id))

    @staticmethod
    async def join(
        run_id: UUID | str,
        *,
        stream_channel: Subscription,
        thread_id: UUID | str,
        ignore_404: bool = False,
        cancel_on_disconnect: bool = False,
        stream_mode: Any = None,
        last_event_id: str | None = None,
        ctx: Context = None,
    ) -> AsyncIterator[Frame]:
        """What the run streams, as (mode, JSON, id of a resumable one); ends with the run, at once if it is over."""
        from langgraph_api.utils import get_auth_ctx

        run, thread, found = as_uuid(run_id), as_uuid(thread_id), False
        caller = ctx or get_auth_ctx()
        try:
            # Else the caller has just made the run, and its thread may be gone with its end.
            if not ignore_404:
                await require_readable(thread, ctx)
            standing = await _standing(run, thread, ignore_404, last_event_id)
            found = True
            async for frame in _follow(standing, stream_channel, stream_mode):
                yield frame
        except BaseException:
            if cancel_on_disconnect and found and not STOP.asked:  # else it is we who go away, not the client
                _cancel_soon(run, thread, caller)
            raise
        finally:
            HUB.leave(stream_channel)

    @staticmethod
    async def check_run_stream_auth(run_id: UUID | str, thread_id: UUID | str, ctx: Context = None) -> None:
        """HTTPException 404 unless the caller may read the thread, and the run is one of it."""
        run, thread = as_uuid(run_id), as_uuid(thread_id)
        await require_readable(thread, ctx)
        known = HUB.known(run)
        if known is None or known.thread_id != thread:
            params = {"run_id": run, "thread_id": thread}
            if await database.fetch_one(QUERIES["standing"], params) is None:
                raise HTTPException(404, "Run not found")

    @staticmethod
    async def publish(
        run_id: UUID | str, event: str, message: bytes, *, thread_id: Any = None, resumable: bool = False
    ) -> None:
        """From the worker, which must never fail over it: an event of a run that was lost is silently nothing."""
        lease = LEASE.get()
        if lease is not None and lease.run_id == as_uuid(run_id):
            if event == "error" and lease.used_up:
                message = json_dumpb(lease.used_up)
            publish(lease, event, message, resumable=resumable)


async def require_readable(thread: UUID, ctx: Context) -> None:
    """HTTPException 404 unless the caller may read the thread."""
    filters = await ask("threads", "read", Auth.types.ThreadsRead(thread_id=thread), ctx)
    params = {"thread_id": thread, "filter": json(filters)}
    if filters and not await database.fetch(QUERIES["readable"], params):
        raise HTTPException(404, "Thread not found")


async def _follow(standing: Standing, channel: Subscription, modes: Any) -> AsyncIterator[Frame]:
    resumable, over, replays = standing
    told = Told()
    for event in replays:
        told.is_new(event)
        if event.is_end:
            return
        if wanted(event.event, modes):
            yield event.event.encode(), event.data, event.name
    if over:
        return
    while True:
        event = await channel.next()
        if event.is_end:
            return
        if told.is_new(event) and wanted(event.event, modes):
            yield event.event.encode(), event.data, event.name if resumable else None


async def _standing(run: UUID, thread: UUID, ignore_404: bool, last_event_id: str | None) -> Standing:
    """Whether the run's events have ids, whether it is over, and what is to be told again.

    HTTPException 404 for a run that is not this thread's: the caller was asked for this thread alone.
    """
    known = HUB.known(run)
    if last_event_id is None and known and known.thread_id == thread:
        return known.resumable, False, []
    row = await database.fetch_one(QUERIES["standing"], {"run_id": run, "thread_id": thread})
    if row is None and not ignore_404:
        raise HTTPException(404, "Run not found")
    over = row is None or row["status"] not in IN_FLIGHT
    known = HUB.known(run)
    if row and not over and not (known and known.here):
        await _follow_elsewhere(run, row)
    replays: list[Event] = []
    # Of one that is not resumable only a part may be kept, which would have a gap that nobody is told of.
    if (after := parse_id(last_event_id)) is not None and (row is None or row["resumable"]):
        await KEEPER.flush()
        replays = await kept(run, after)
        if row and over and row["long_ago"] and not any(event.is_end for event in replays):
            replays.insert(0, forgotten(run))
    return bool(row and row["resumable"]), over, replays


async def _follow_elsewhere(run: UUID, row: dict[str, Any]) -> None:
    """A run that this process accepted is shared by whoever claims it; of another one its worker must be told."""
    if row["origin"] != WORKER_ID:
        await watch(run)
    if row["epoch"]:
        await WATCHER.begin(run)
    else:
        WATCHER.note(run)


def _cancel_soon(run: UUID, thread: UUID, ctx: Context) -> None:
    task = asyncio.get_running_loop().create_task(_cancel(run, thread, ctx))
    _cancelling.add(task)
    task.add_done_callback(_cancelling.discard)


async def _cancel(run: UUID, thread: UUID, ctx: Context) -> None:
    """As if the client had asked for it: so the handlers are asked whether it may. A run that is over is left alone."""
    from langgraph_runtime_community.ops.cancelling import cancel

    reason = "client disconnected from the run stream (on_disconnect=cancel)"
    try:
        await cancel([run], "interrupt", thread, None, reason, ctx)
    except HTTPException as error:
        logger.info("a run is not cancelled with its client", run_id=str(run), reason=error.detail)
    except RuntimeTrouble as error:
        logger.warning("a run could not be cancelled with its client", run_id=str(run), error=str(error))

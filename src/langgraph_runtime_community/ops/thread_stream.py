"""Threads.Stream: a client listens to all runs of a thread, one after the other, and to changes of its state."""

from collections.abc import AsyncIterator, Collection
from typing import Any
from uuid import UUID

import orjson

from langgraph_runtime_community.ops.access import Context, as_uuid
from langgraph_runtime_community.ops.run_stream import require_readable
from langgraph_runtime_community.streams.events import Event, Told, parse_id
from langgraph_runtime_community.streams.hub import HUB
from langgraph_runtime_community.streams.keeping import KEEPER, keep_for_listeners, kept_of_thread
from langgraph_runtime_community.streams.publishing import publish_to_thread
from langgraph_runtime_community.streams.watching import WATCHER

STATE_UPDATE = "state_update"
Frame = tuple[bytes, bytes, bytes | None]


class Stream:
    """The server's operations on a thread's stream."""

    @staticmethod
    async def join(
        thread_id: UUID | str,
        *,
        last_event_id: str | None = None,
        stream_modes: list[str],
        ctx: Context = None,
    ) -> AsyncIterator[Frame]:
        """Events as (mode, JSON, id), without end; first again those behind an id."""
        joined = Stream.join_event_streaming(
            thread_id, last_event_id=last_event_id, stream_modes=stream_modes, ctx=ctx
        )
        async for event, data, name, _ in joined:
            yield event, data, name

    @staticmethod
    async def join_event_streaming(
        thread_id: UUID | str,
        *,
        last_event_id: str | None = None,
        stream_modes: list[str],
        ctx: Context = None,
    ) -> AsyncIterator[tuple[bytes, bytes, bytes | None, str | None]]:
        """The same with the run's id; `-` asks for everything that is kept."""
        thread = as_uuid(thread_id)
        await require_readable(thread, ctx)
        async with HUB.listen_thread(thread) as channel:
            told = Told()
            await WATCHER.listen(thread)  # before the look at what is kept: what comes twice is told once
            if (after := parse_id(last_event_id)) is not None:
                await KEEPER.flush()
                for event in await kept_of_thread(thread, after):
                    if told.is_new(event) and (frame := _frame(event, stream_modes)):
                        yield frame
            while True:
                event = await channel.queue.get()
                if told.is_new(event) and (frame := _frame(event, stream_modes)):
                    yield frame

    @staticmethod
    async def publish(thread_id: UUID | str, event: str, message: bytes) -> None:
        """An event of the thread itself. Where others listen too, it comes to all of them through the database."""
        thread = as_uuid(thread_id)
        if await keep_for_listeners(thread, event, message):
            WATCHER.wake.set()
        else:
            publish_to_thread(thread, event, message)

    @staticmethod
    async def check_thread_stream_auth(thread_id: UUID | str, ctx: Context = None) -> None:
        """HTTPException 404 unless the caller may read the thread."""
        await require_readable(as_uuid(thread_id), ctx)


def _frame(event: Event, modes: Collection[str]) -> tuple[bytes, bytes, bytes | None, str | None] | None:
    """What a client of these modes gets of an event; the end of a run is told as metadata."""
    run_id = str(event.run_id) if event.run_id else None
    name, data = event.event, event.data
    if event.is_end:
        name, data = "metadata", orjson.dumps({"status": "run_done", "run_id": run_id})
    if not _passes(name, data, modes):
        return None
    return name.encode(), data, event.name, run_id


def _passes(name: str, data: bytes, modes: Collection[str]) -> bool:
    if name == STATE_UPDATE:
        return STATE_UPDATE in modes
    if "run_modes" in modes:
        return True
    return "lifecycle" in modes and name == "metadata" and _is_lifecycle(data)


def _is_lifecycle(data: bytes) -> bool:
    try:
        told: Any = orjson.loads(data)
    except orjson.JSONDecodeError:
        return False
    return isinstance(told, dict) and (
        told.get("status") == "run_done" or ("attempt" in told and "run_id" in told)
    )

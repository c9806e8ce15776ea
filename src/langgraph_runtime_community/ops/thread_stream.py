"""Threads.Stream: a client listens to all runs of a thread, one after the other, and to changes of its state."""

from collections.abc import AsyncGenerator, AsyncIterator, Collection
from contextlib import aclosing
from typing import Any
from uuid import UUID

import orjson

from langgraph_runtime_community.ops.access import Context, as_uuid
from langgraph_runtime_community.ops.run_stream import require_readable
from langgraph_runtime_community.streams.events import GAP, Event, Told, end_of, parse_id
from langgraph_runtime_community.streams.gaps import forgotten, in_second_protocol
from langgraph_runtime_community.streams.hub import HUB
from langgraph_runtime_community.streams.keeping import (
    KEEPER,
    forgotten_of_thread,
    keep_for_listeners,
    kept_of_thread,
)
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
        async with aclosing(_followed(as_uuid(thread_id), last_event_id, ctx)) as followed:
            async for event in followed:
                if frame := _frame(event, stream_modes):
                    yield frame[:3]

    @staticmethod
    async def join_event_streaming(
        thread_id: UUID | str,
        *,
        last_event_id: str | None = None,
        stream_modes: list[str],
        ctx: Context = None,
    ) -> AsyncIterator[tuple[bytes, bytes, bytes | None, str | None]]:
        """The same with the run's id, for the second protocol; `-` asks for everything that is kept."""
        async with aclosing(_followed(as_uuid(thread_id), last_event_id, ctx)) as followed:
            async for event in followed:
                if frame := _frame(event, stream_modes):
                    yield (b"custom", in_second_protocol(event), *frame[2:]) if event.event == GAP else frame

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


async def _followed(thread: UUID, last_event_id: str | None, ctx: Context) -> AsyncGenerator[Event]:
    """Each event once, without end. That some of what a client asks for is kept no more is told first, as a gap."""
    await require_readable(thread, ctx)
    async with HUB.listen_thread(thread) as channel:
        told = Told()
        await WATCHER.listen(thread)  # before the look at what is kept: what comes twice is told once
        if (after := parse_id(last_event_id)) is not None:
            await KEEPER.flush()
            if run_id := await forgotten_of_thread(thread, after):
                yield forgotten(run_id)
                yield end_of(run_id)  # or the second protocol would take it for a run at work
            for event in await kept_of_thread(thread, after):
                if told.is_new(event):
                    yield event
        while True:
            event = await channel.next()
            if told.is_new(event):
                yield event


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

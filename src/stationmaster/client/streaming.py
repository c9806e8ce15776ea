"""Streams a run through cut connections and restarts of the server: no event is missing and none comes twice."""

import uuid
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, aclosing
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import StreamPart

from stationmaster.client import events
from stationmaster.client.following import Following
from stationmaster.client.patience import Limits, Patience, Tell
from stationmaster.client.sending import EVENT_STREAM, NothingSent, posted
from stationmaster.client.starting import UNDECIDED, Started, find_before, find_taken, run_body

MODES = ("messages-tuple", "updates", "custom")

Opening = AbstractAsyncContextManager[httpx.Response]


async def stream(
    client: LangGraphClient,
    thread_id: str,
    assistant_id: str,
    *,
    stream_mode: str | Sequence[str] = MODES,
    key: str | None = None,
    canary_key: str | None = None,
    metadata: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    tell: Tell | None = None,
    **options: Any,
) -> AsyncGenerator[StreamPart, None]:
    """Start a run and yield its events to the end; `options` are those of the SDK's `runs.stream`.

    A connection that breaks is made again, and the stream goes on where it was. Besides the server's own events:

    - `error`: the run failed or was cancelled. It comes even if the server's own `error` fell into a pause.
    - `gap`: events may be missing, read the thread's state. The server has forgotten the stream (an in-memory one was
      restarted), or, an event of the durable runtime itself, had died and may not have told all that it had saved.

    A `metadata` event with `attempt` above 1 means that the run was taken up again from its last checkpoint, after the
    server had died: the words that the step under way had streamed come again.

    Leaving the loop leaves the run alone: it goes on; take it up again with `follow`. With a `key` of the caller's a
    run of the thread that has it already is followed from its first event instead. Raises ServerAway, RunGone, NotTaken
    (no such run is there: it may still come), and what the SDK raises when the server refuses.
    """
    limits = limits or Limits()
    if key is not None and (there := await find_before(client, thread_id, key, limits, tell)):
        async with aclosing(follow(client, there, limits=limits, tell=tell)) as followed:
            async for part in followed:
                yield part
        return
    key = key or uuid.uuid4().hex
    modes = [stream_mode] if isinstance(stream_mode, str) else list(stream_mode)
    # The run must outlive its connection, whatever a server does by default.
    options = {"on_disconnect": "continue", **options, "stream_mode": modes, "stream_resumable": True}
    body = run_body(assistant_id, options, metadata, key, canary_key)
    started, opening = await _begin(client, thread_id, key, body, limits, tell)
    async with aclosing(Following(client, started, limits, tell).parts(opening)) as parts:
        async for part in parts:
            yield part


async def follow(
    client: LangGraphClient, started: Started, *, limits: Limits | None = None, tell: Tell | None = None
) -> AsyncGenerator[StreamPart, None]:
    """The events of a run that was started elsewhere, from its first one to its end; as `stream` gives them.

    The run must have been started with `stream_resumable` (`start` does); of another one only what comes from now on
    is there, with a `gap` before or after it.
    """
    async with aclosing(Following(client, started, limits or Limits(), tell).parts()) as parts:
        async for part in parts:
            yield part


async def _begin(
    client: LangGraphClient,
    thread_id: str,
    key: str,
    body: Mapping[str, Any],
    limits: Limits,
    tell: Tell | None,
) -> tuple[Started, Opening | None]:
    """The run, and its open stream unless the connection broke before the server answered."""
    patience = Patience(limits, "a run was being started", "nothing was started; try again", tell)
    while True:
        stack = AsyncExitStack()
        try:
            path = f"/threads/{thread_id}/runs/stream"
            response = await stack.enter_async_context(posted(client, path, body, limits, EVENT_STREAM))
        except NothingSent as error:
            await patience.lost(error)
        except UNDECIDED as error:
            return await find_taken(client, thread_id, key, error, limits, tell), None
        else:
            patience.restored()
            return Started(thread_id, events.run_id(response)), events.opened(response, stack)

"""The server's event streams, decoded by the SDK but without its reconnecting, which loses events (see place.py)."""

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import cast

import httpx
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.schema import StreamPart
from langgraph_sdk.sse import SSEDecoder, aiter_lines_raw

from stationmaster.client.patience import Limits, within
from stationmaster.client.sending import EVENT_STREAM, check
from stationmaster.client.starting import Started


@asynccontextmanager
async def open_again(
    client: LangGraphClient, run: Started, after: str, limits: Limits
) -> AsyncIterator[httpx.Response]:
    """The stream of a run, from what came after that id on."""
    path = f"/threads/{run.thread_id}/runs/{run.run_id}/stream"
    headers = {**EVENT_STREAM, "Last-Event-ID": after}
    request = client.http.client.stream("GET", path, headers=headers, timeout=limits.streaming)
    async with AsyncExitStack() as stack:
        async with within(limits.answer_s):
            response = await stack.enter_async_context(request)
            await check(response)
        yield response


@asynccontextmanager
async def opened(response: httpx.Response, stack: AsyncExitStack) -> AsyncIterator[httpx.Response]:
    """An answer that is open already; `stack` is closed with it."""
    async with stack:
        yield response


def run_id(response: httpx.Response) -> str:
    """The id of the run that the request started; the server tells it before the first event."""
    return response.headers.get("content-location", "").rpartition("/")[2]


async def read(response: httpx.Response) -> AsyncGenerator[StreamPart | None, None]:
    """The events as they come, and None for each heartbeat. An event that was cut in the middle is none."""
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        # A page of somebody in between is as good as a broken connection.
        raise httpx.RemoteProtocolError("the answer is no event stream")
    decoder = SSEDecoder()
    async for raw in aiter_lines_raw(response):
        line = cast("bytes", raw)
        if line.startswith(b":"):
            yield None
        elif (part := decoder.decode(line)) is not None and (part.event or decoder.has_data):
            yield part

"""Requests that start something, and so must not be sent twice: it is known whether one has left."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Any

import httpx
from langgraph_sdk import errors
from langgraph_sdk.client import LangGraphClient

from stationmaster.client.patience import Limits, named

EVENT_STREAM = {"Accept": "text/event-stream", "Cache-Control": "no-store"}
ERRORS: dict[int, type[errors.APIStatusError]] = {
    400: errors.BadRequestError,
    401: errors.AuthenticationError,
    403: errors.PermissionDeniedError,
    404: errors.NotFoundError,
    409: errors.ConflictError,
    422: errors.UnprocessableEntityError,
    429: errors.RateLimitError,
}


class NothingSent(httpx.TransportError):
    """No connection was made: the server certainly has nothing of it."""


@asynccontextmanager
async def posted(
    client: LangGraphClient,
    path: str,
    body: Mapping[str, Any],
    limits: Limits,
    headers: Mapping[str, str] | None = None,
) -> AsyncIterator[httpx.Response]:
    """The open answer to a POST. NothingSent; any other httpx.TransportError leaves open whether it arrived."""
    left = False
    async with AsyncExitStack() as stack:
        try:
            async with asyncio.timeout(limits.answer_s) as timeout:

                async def trace(event: str, _info: Mapping[str, Any]) -> None:
                    nonlocal left
                    if event.endswith("send_request_headers.started"):
                        left = True
                        timeout.reschedule(asyncio.get_running_loop().time() + limits.away_s)

                request = client.http.client.stream(
                    "POST", path, json=dict(body), headers=headers, timeout=limits.streaming,
                    extensions={"trace": trace},
                )  # fmt: skip
                response = await stack.enter_async_context(request)
                await check(response)
        except (httpx.TransportError, TimeoutError) as error:
            if left:
                raise httpx.ReadError(named(error)) from error
            raise NothingSent(named(error)) from error
        yield response


async def check(response: httpx.Response) -> None:
    """Raise what the SDK would for an answer that is none."""
    if response.is_success:
        return
    text = (await response.aread()).decode(errors="replace")
    fallback = errors.InternalServerError if response.status_code >= 500 else errors.APIStatusError
    error = ERRORS.get(response.status_code, fallback)
    raise error(f"{response.status_code}: {text[:500]}", response=response, body=text)

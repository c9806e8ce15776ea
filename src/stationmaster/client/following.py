"""One run's stream over as many connections as it takes."""

import time
from collections.abc import AsyncGenerator, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError
from langgraph_sdk.schema import StreamPart

from stationmaster.client import events
from stationmaster.client.errors import RunGone
from stationmaster.client.patience import PASSING, Limits, Patience, Tell, within
from stationmaster.client.place import Place
from stationmaster.client.starting import Started

UNDER_WAY = frozenset({"pending", "running"})


@dataclass
class Following:
    """`parts` may be asked for once."""

    client: LangGraphClient
    run: Started
    limits: Limits
    tell: Tell | None = None
    place: Place = field(default_factory=Place)
    failed: bool = False
    """Whether an `error` was passed on."""

    async def parts(
        self, opening: AbstractAsyncContextManager[httpx.Response] | None = None
    ) -> AsyncGenerator[StreamPart, None]:
        """Every event once; `opening` is the first connection, if there is one."""
        doing, after = (
            f"run {self.run.run_id} was streamed",
            "the run goes on without us; follow it again or read the thread's state",
        )
        patience = Patience(self.limits, doing, after, self.tell)
        status: str | None = None
        while True:
            try:
                if opening is None and status is None:
                    status = await self._ended()
                was_over = status is not None
                brought = False
                async with aclosing(self._connection(opening or self._again(was_over), patience)) as parts:
                    async for part in parts:
                        brought = True
                        yield part
                # A stream closes in the same way when the run ends and when a proxy or a restart cuts it. So it is
                # complete when, after the run's end, one more look brings nothing.
                if was_over and not brought:
                    break
                if status is None and (status := await self._ended()) is None:
                    raise httpx.ReadError("the stream ended before the run")
            except PASSING as error:
                await patience.lost(error)
            finally:
                opening = None
        async for part in self._closing(status or ""):
            yield part

    def _again(self, over: bool) -> AbstractAsyncContextManager[httpx.Response]:
        after = self.place.reopen(time.monotonic(), over=over)
        return events.open_again(self.client, self.run, after, self.limits)

    async def _connection(
        self, opening: AbstractAsyncContextManager[httpx.Response], patience: Patience
    ) -> AsyncGenerator[StreamPart, None]:
        """What one connection brings that is new."""
        async with opening as response, aclosing(events.read(response)) as arrived:
            async for part in arrived:
                patience.restored()
                if part is None:
                    continue
                if part.event == "error":
                    await self._ended()  # a run that is gone is told of as an error, in a stream that is well
                    if self.failed:
                        continue
                    # The server does not keep it: it is no mark to find the place by.
                    self.failed, part = True, part._replace(id=None)
                for new in self.place.take(part, time.monotonic()):
                    if not self.place.met:
                        self.place.met = True
                        yield self._gap()
                    yield new

    async def _ended(self) -> str | None:
        """The run's status once it has ended; RunGone."""
        try:
            async with within(self.limits.answer_s):
                run = await self.client.runs.get(self.run.thread_id, self.run.run_id)
        except NotFoundError as error:
            raise RunGone(
                f"the server has no run {self.run.run_id} (any more): it was rolled back, deleted, or forgotten in a "
                "crash; read the thread's state, and start it again if it did nothing"
            ) from error
        return None if run["status"] in UNDER_WAY else str(run["status"])

    async def _closing(self, status: str) -> AsyncGenerator[StreamPart, None]:
        """What is left to say after the last event: a stream that was forgotten, a failure that was not streamed."""
        if not self.place.met or self.place.empty:
            yield self._gap()
        if status != "success" and not self.failed:
            yield StreamPart("error", await self._error(status), None)

    async def _error(self, status: str) -> dict[str, Any]:
        if status == "interrupted":
            return {
                "error": "RunCancelled",
                "message": "the run was cancelled, or another one took its place",
            }
        try:
            async with within(self.limits.answer_s):
                known: Any = (await self.client.threads.get(self.run.thread_id)).get("error")
        except PASSING:
            known = None
        if isinstance(known, Mapping) and known.get("message"):
            return dict(known)
        return {"error": status, "message": f"the run ended as {status}; the server's log says why"}

    def _gap(self) -> StreamPart:
        return StreamPart(
            "gap", {"run_id": self.run.run_id, "why": "the server has forgotten the stream"}, None
        )

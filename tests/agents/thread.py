"""Speaks with any served graph as a client app would: a thread, runs that are waited for, answers by interrupt id."""

from dataclasses import dataclass, field, replace
from typing import Any, Self, cast

from langgraph_sdk.client import LangGraphClient


@dataclass(frozen=True, kw_only=True)
class ServedThread:
    """One thread of one graph; `context` is what the assistant would set."""

    client: LangGraphClient
    thread_id: str
    graph: str
    context: dict[str, Any] = field(default_factory=dict)

    @classmethod
    async def begin(
        cls, client: LangGraphClient, graph: str, *, metadata: dict[str, Any] | None = None, **more: Any
    ) -> Self:
        """A new thread; `more` are the other fields, such as `context`."""
        thread = await client.threads.create(metadata=metadata)
        return cls(client=client, thread_id=thread["thread_id"], graph=graph, **more)

    def by(self, client: LangGraphClient) -> Self:
        """The same thread through another client: of the next test, or after a restart."""
        return replace(self, client=client)

    async def run(self, **options: Any) -> dict[str, Any]:
        """Any run on the thread, waited for. Raises when the run fails; with `raise_error=False` the values
        hold `__error__` instead."""
        if self.context:
            options.setdefault("context", self.context)
        values = await self.client.runs.wait(self.thread_id, self.graph, **options)
        return cast("dict[str, Any]", values)

    async def answer(self, answer: Any, **options: Any) -> dict[str, Any]:
        """Answer the one pending question, by its id."""
        return await self.run(command=await self.resume(answer), **options)

    async def resume(self, answer: Any) -> Any:
        """The command that answers the one pending question."""
        return {"resume": {(await self.question())["id"]: answer}}

    async def question(self) -> Any:
        """The one pending interrupt: id, value, response_schema."""
        (question,) = (await self.state())["interrupts"]
        return question

    async def state(self) -> Any:
        return await self.client.threads.get_state(self.thread_id)

    async def status(self) -> str:
        """What the thread's row says: idle, busy, interrupted, error."""
        return (await self.client.threads.get(self.thread_id))["status"]

    async def history(self) -> list[Any]:
        """Its checkpoints, newest first."""
        return await self.client.threads.get_history(self.thread_id, limit=100)

    async def start(self, **options: Any) -> str:
        """Start a run on the thread without waiting for it; its id."""
        if self.context:
            options.setdefault("context", self.context)
        return (await self.client.runs.create(self.thread_id, self.graph, **options))["run_id"]

    async def join(self, run_id: str) -> None:
        """Wait until the run has stopped, whatever became of it."""
        await self.client.runs.join(self.thread_id, run_id)

    async def stream(self, stream_mode: Any = "updates", **options: Any) -> list[tuple[str, Any]]:
        """Stream a run to its end and return its parts: (event, data)."""
        if self.context:
            options.setdefault("context", self.context)
        stream = self.client.runs.stream(self.thread_id, self.graph, stream_mode=stream_mode, **options)
        return [(part.event, part.data) async for part in stream]

    async def nodes(self, **options: Any) -> list[str]:
        """Stream a run and return the nodes that ran, in order."""
        return [node for event, data in await self.stream(**options) if event == "updates" for node in data]

"""Speaks with a served support graph as a client app would: a thread, messages, answers by interrupt id."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass, replace
from typing import Any, Self, TypeVar, cast

from langgraph_sdk.client import LangGraphClient

GRAPH = "support"
T = TypeVar("T")


def wants_refund(order_id: str) -> str:
    """A request that the offline rules read as damaged goods: all of the money comes back."""
    return f"My blender arrived broken, order {order_id}. I want my money back."


@dataclass(frozen=True)
class Conversation:
    """One thread of one ticket."""

    client: LangGraphClient
    thread_id: str
    ticket_id: str
    context: dict[str, Any]
    order_id: str = ""

    @classmethod
    async def open(
        cls, client: LangGraphClient, ticket_id: str, *, order_id: str = "", **context: Any
    ) -> Self:
        """A new thread; `context` is what the assistant would set, `order_id` the order it will be about."""
        thread = await client.threads.create(metadata={"ticket_id": ticket_id})
        return cls(client, thread["thread_id"], ticket_id, context, order_id)

    def by(self, client: LangGraphClient) -> Self:
        """The same thread through another client: of the next test, or after a restart."""
        return replace(self, client=client)

    def input(self, text: str) -> dict[str, Any]:
        return {"ticket_id": self.ticket_id, "messages": [{"role": "user", "content": text}]}

    async def say(self, text: str, **options: Any) -> dict[str, Any]:
        """Send a message, wait for the run to stop, return the state's values."""
        return await self.run(input=self.input(text), **options)

    async def want_refund(self, **options: Any) -> dict[str, Any]:
        """Ask for the money of `order_id`."""
        return await self.say(wants_refund(self.order_id), **options)

    async def answer(self, answer: Any, **options: Any) -> dict[str, Any]:
        """Answer the one pending question, by its id."""
        return await self.run(command=await self.resume(answer), **options)

    async def resume(self, answer: Any) -> Any:
        """The command that answers the one pending question."""
        return {"resume": {(await self.question())["id"]: answer}}

    async def run(self, **options: Any) -> dict[str, Any]:
        """Any run on the thread, waited for. Raises when the run fails; with `raise_error=False` the values
        hold `__error__` instead."""
        if self.context:
            options.setdefault("context", self.context)
        values = await self.client.runs.wait(self.thread_id, GRAPH, **options)
        return cast("dict[str, Any]", values)

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
        return (await self.client.runs.create(self.thread_id, GRAPH, **options))["run_id"]

    async def join(self, run_id: str) -> None:
        """Wait until the run has stopped, whatever became of it."""
        await self.client.runs.join(self.thread_id, run_id)

    async def question(self) -> Any:
        """The one pending interrupt: id, value, response_schema."""
        (question,) = (await self.state())["interrupts"]
        return question

    async def stream(self, stream_mode: Any = "updates", **options: Any) -> list[tuple[str, Any]]:
        """Stream a run to its end and return its parts: (event, data)."""
        if self.context:
            options.setdefault("context", self.context)
        stream = self.client.runs.stream(self.thread_id, GRAPH, stream_mode=stream_mode, **options)
        return [(part.event, part.data) async for part in stream]

    async def nodes(self, **options: Any) -> list[str]:
        """Stream a run and return the nodes that ran, in order."""
        return [node for event, data in await self.stream(**options) if event == "updates" for node in data]


async def every(waited: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """All at once; the first that fails cancels the others, which `asyncio.gather` would leave running."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(coroutine) for coroutine in waited]
    return [task.result() for task in tasks]


class Waiting:
    """Conversations that already wait at the gate for $640, made a batch at once: a served run takes a second,
    most of it in the queue, and many at once take hardly longer."""

    BATCH = 8

    def __init__(self, place_order: Callable[[], str]) -> None:
        self._place_order = place_order
        self._ready: list[Conversation] = []
        self._made = 0

    async def take(self, client: LangGraphClient) -> Conversation:
        """One that nobody else has."""
        if not self._ready:
            self._ready = await every(self._make(client) for _ in range(self.BATCH))
        return self._ready.pop().by(client)

    async def _make(self, client: LangGraphClient) -> Conversation:
        self._made += 1
        order_id = self._place_order()
        talk = await Conversation.open(client, f"waiting-{self._made}", order_id=order_id)
        values = await talk.want_refund()
        assert values["outcome"] == "refund_proposed"
        return talk

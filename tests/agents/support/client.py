"""Speaks with a served support graph as a client app would: a thread, messages, answers by interrupt id."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeVar

from langgraph_sdk.client import LangGraphClient

from tests.agents.thread import ServedThread

GRAPH = "support"
T = TypeVar("T")


def wants_refund(order_id: str) -> str:
    """A request that the offline rules read as damaged goods: all of the money comes back."""
    return f"My blender arrived broken, order {order_id}. I want my money back."


@dataclass(frozen=True, kw_only=True)
class Conversation(ServedThread):
    """One thread of one ticket."""

    ticket_id: str
    order_id: str = ""

    @classmethod
    async def open(
        cls, client: LangGraphClient, ticket_id: str, *, order_id: str = "", **context: Any
    ) -> Self:
        """A new thread; `context` is what the assistant would set, `order_id` the order it will be about."""
        metadata = {"ticket_id": ticket_id}
        return await cls.begin(
            client, GRAPH, metadata=metadata, ticket_id=ticket_id, context=context, order_id=order_id
        )

    def input(self, text: str) -> dict[str, Any]:
        return {"ticket_id": self.ticket_id, "messages": [{"role": "user", "content": text}]}

    async def say(self, text: str, **options: Any) -> dict[str, Any]:
        """Send a message, wait for the run to stop, return the state's values."""
        return await self.run(input=self.input(text), **options)

    async def want_refund(self, **options: Any) -> dict[str, Any]:
        """Ask for the money of `order_id`."""
        return await self.say(wants_refund(self.order_id), **options)


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

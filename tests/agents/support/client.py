"""Speaks with a served support graph as a client app would: a thread, messages, answers by interrupt id."""

from dataclasses import dataclass
from typing import Any, Self, cast

from langgraph_sdk.client import LangGraphClient

GRAPH = "support"


@dataclass(frozen=True)
class Conversation:
    """One thread of one ticket."""

    client: LangGraphClient
    thread_id: str
    ticket_id: str
    context: dict[str, Any]

    @classmethod
    async def open(cls, client: LangGraphClient, ticket_id: str, **context: Any) -> Self:
        """A new thread; `context` is what the assistant would set."""
        thread = await client.threads.create(metadata={"ticket_id": ticket_id})
        return cls(client, thread["thread_id"], ticket_id, context)

    def input(self, text: str) -> dict[str, Any]:
        return {"ticket_id": self.ticket_id, "messages": [{"role": "user", "content": text}]}

    async def say(self, text: str, **options: Any) -> dict[str, Any]:
        """Send a message, wait for the run to stop, return the state's values."""
        return await self.run(input=self.input(text), **options)

    async def answer(self, answer: Any, **options: Any) -> dict[str, Any]:
        """Answer the one pending question, by its id."""
        question = await self.question()
        return await self.run(command={"resume": {question["id"]: answer}}, **options)

    async def run(self, **options: Any) -> dict[str, Any]:
        """Any run on the thread, waited for. Raises when the run fails."""
        if self.context:
            options.setdefault("context", self.context)
        values = await self.client.runs.wait(self.thread_id, GRAPH, **options)
        return cast("dict[str, Any]", values)

    async def state(self) -> Any:
        return await self.client.threads.get_state(self.thread_id)

    async def question(self) -> Any:
        """The one pending interrupt: id, value, response_schema."""
        (question,) = (await self.state())["interrupts"]
        return question

    async def nodes(self, **options: Any) -> list[str]:
        """Stream a run and return the nodes that ran, in order."""
        if self.context:
            options.setdefault("context", self.context)
        stream = self.client.runs.stream(self.thread_id, GRAPH, stream_mode="updates", **options)
        return [node async for part in stream if part.event == "updates" for node in part.data]

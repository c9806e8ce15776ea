"""The support graph in this process, on a checkpointer in memory: for failures that are made from the inside."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Self, cast
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from agents.support.context import RECURSION_LIMIT, Context
from agents.support.graph import builder
from agents.support.state import State
from tests.agents.in_process import hurry_all


@dataclass
class Talk:
    """One thread of one ticket; `nodes` are those that ran in the last call, in order."""

    ticket_id: str
    context: Context
    graph: CompiledStateGraph[Any, Any, Any, Any]
    thread_id: str = field(default_factory=lambda: uuid4().hex)
    nodes: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, ticket_id: str, **context: Any) -> Self:
        """A new thread; `context` is what the assistant would set."""
        graph = builder.compile(checkpointer=InMemorySaver(), name="support")
        return cls(ticket_id, Context(**{"model": "offline:rules", **context}), graph)

    @property
    def config(self) -> RunnableConfig:
        return {"configurable": {"thread_id": self.thread_id}, "recursion_limit": RECURSION_LIMIT}

    async def say(self, text: str, **options: Any) -> State:
        """Send a message, go on until the run stops, return the state."""
        return await self.run({"ticket_id": self.ticket_id, "messages": [HumanMessage(text)]}, **options)

    async def answer(self, answer: dict[str, Any]) -> State:
        """Answer the one pending question."""
        (question,) = (await self.graph.aget_state(self.config)).interrupts
        return await self.run(Command(resume={question.id: answer}))

    async def run(self, sent: Any, **options: Any) -> State:
        """Any run on the thread."""
        self.nodes = [node async for node in self._updates(sent, **options)]
        return await self.state()

    async def state(self) -> State:
        return cast("State", (await self.graph.aget_state(self.config)).values)

    async def next(self) -> tuple[str, ...]:
        """What runs when the thread goes on."""
        return (await self.graph.aget_state(self.config)).next

    async def _updates(self, sent: Any, **options: Any) -> AsyncIterator[str]:
        stream = self.graph.astream(sent, self.config, context=self.context, stream_mode="updates", **options)
        async for update in stream:
            for node in update:
                yield node


def reply_of(state: State) -> str:
    """The newest message, which has to be the agent's."""
    assert isinstance(state["messages"][-1], AIMessage)
    return state["messages"][-1].text


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Its retries and breakers, without their waits."""
    hurry_all(patch, builder)

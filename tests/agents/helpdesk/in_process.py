"""The helpdesk in this process, on a checkpointer in memory; its model is the written rules, or a scripted provider."""

from dataclasses import dataclass, field
from typing import Any, Self, cast
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command, Interrupt

from agents.helpdesk.context import RECURSION_LIMIT, Context
from agents.helpdesk.graph import builder
from agents.helpdesk.state import Final
from tests.agents.in_process import hurry_all
from tests.fakes.openai_answers import Say

Values = dict[str, Any]


@dataclass
class Desk:
    """One thread of one ticket."""

    ticket_id: str
    tier: str
    context: Context
    graph: CompiledStateGraph[Any, Any, Any, Any]
    thread_id: str = field(default_factory=lambda: uuid4().hex)
    user: dict[str, str] | None = None
    """What the server's auth would have found out."""

    @classmethod
    def open(cls, ticket_id: str, *, tier: str = "premium", saver: Any = None, **context: Any) -> Self:
        """A new thread; `context` is what the assistant would set."""
        graph = builder.compile(checkpointer=saver or InMemorySaver(), name="helpdesk")
        return cls(ticket_id, tier, Context(**{"model": "offline:rules", **context}), graph)

    @property
    def config(self) -> RunnableConfig:
        user = {"langgraph_auth_user": self.user} if self.user else {}
        return {"configurable": {"thread_id": self.thread_id, **user}, "recursion_limit": RECURSION_LIMIT}

    async def say(self, text: str, **more: Any) -> Values:
        """Send a message, go on until the run stops, return the state."""
        sent = {"ticket_id": self.ticket_id, "user_tier": self.tier, "messages": [HumanMessage(text)]}
        return await self.run(sent | more)

    async def answer(self, *answers: Any) -> Values:
        """Answer the pending questions in their order, all in one go."""
        pending = await self.questions()
        return await self.run(
            Command(resume={one.id: value for one, value in zip(pending, answers, strict=True)})
        )

    async def decide(self, *decisions: dict[str, Any]) -> Values:
        """Answer the one batched question."""
        return await self.answer({"decisions": list(decisions)})

    async def questions(self) -> list[Interrupt]:
        """What waits for a person, in the order of the calls."""
        state = await self.graph.aget_state(self.config)
        return [question for task in state.tasks for question in task.interrupts]

    async def run(self, sent: Any) -> Values:
        await self.graph.ainvoke(sent, self.config, context=self.context)
        return await self.values()

    async def values(self) -> Values:
        return cast("Values", (await self.graph.aget_state(self.config)).values)


def final(values: Values) -> Final:
    """The structured answer; the reply has to be the last message."""
    ended: Final = values["structured_response"]
    assert isinstance(values["messages"][-1], AIMessage)
    assert values["messages"][-1].text == ended["reply"]
    return ended


def results(values: Values, tool: str | None = None) -> list[ToolMessage]:
    """What tools said since the newest message of the customer."""
    places = [place for place, message in enumerate(values["messages"]) if isinstance(message, HumanMessage)]
    newest = values["messages"][places[-1] :]
    said = [
        message for message in newest if isinstance(message, ToolMessage) and message.name != "Resolution"
    ]
    return [message for message in said if tool in (None, message.name)]


def calls(*wanted: tuple[str, dict[str, Any]]) -> Say:
    """A model's answer that calls tools."""
    return Say(tool_calls=wanted)


def ends(reply: str = "Thank you.", status: str = "answered", order_id: str | None = None) -> Say:
    """A model's answer that ends the request."""
    return calls(("Resolution", {"status": status, "reply": reply, "order_id": order_id}))


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Its retries and breakers, without their waits."""
    patch.setattr("langchain.agents.middleware.tool_retry.calculate_delay", lambda *_, **__: 0.0)
    hurry_all(patch, builder)

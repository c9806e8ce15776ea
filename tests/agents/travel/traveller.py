"""The travel graph in this process: one thread, callers by name, answers by interrupt id."""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from agents.travel.context import RECURSION_LIMIT, Context
from agents.travel.graph import builder
from tests.agents.in_process import hurry_all
from tests.agents.travel.agency import Agency, day

APPROVE = {"action": "approve"}
HAVE_VISA = {"action": "have_visa"}
WISH = f"From Berlin to Lisbon, {day(10)} to {day(14)}, German passport, at most $900 in all."


@dataclass
class Traveller:
    """One thread of somebody who travels, with an agency's key."""

    agency: Agency
    name: str = "rosa"
    context: Context = field(default_factory=lambda: Context(model="offline:rules"))
    graph: CompiledStateGraph[Any, Any, Any, Any] = field(
        default_factory=lambda: builder.compile(checkpointer=InMemorySaver(), name="travel")
    )
    thread_id: str = field(default_factory=lambda: uuid4().hex)
    nodes: list[str] = field(default_factory=list)

    def config(self, by: str | None = None, tenant: str | None = None) -> RunnableConfig:
        """As the server makes it for this caller's key."""
        user = {"identity": by or self.name, "tenant": tenant or self.agency.tenant}
        return {
            "configurable": {"thread_id": self.thread_id, "langgraph_auth_user": user},
            "recursion_limit": RECURSION_LIMIT,
        }

    async def say(self, text: str, **who: Any) -> dict[str, Any]:
        """Write a message, and go on until the run stops."""
        return await self.run({"messages": [HumanMessage(text)]}, **who)

    async def answer(
        self, answer: Any, *, update: dict[str, Any] | None = None, **who: Any
    ) -> dict[str, Any]:
        """Answer the one pending question."""
        return await self.run(Command(resume={(await self.question()).id: answer}, update=update), **who)

    async def run(self, sent: Any, **who: Any) -> dict[str, Any]:
        """Any run on the thread; `nodes` are those that ran, in order."""
        self.nodes = []
        stream = self.graph.astream(sent, self.config(**who), context=self.context, stream_mode="updates")
        async for update in stream:
            self.nodes += [node for node in update if node != "__interrupt__"]
        return await self.values()

    async def forge(self, values: dict[str, Any], as_node: str, **who: Any) -> dict[str, Any]:
        """Write state as though a node had, and go on from there."""
        await self.graph.aupdate_state(self.config(**who), values, as_node=as_node)
        return await self.run(None, **who)

    async def values(self) -> dict[str, Any]:
        return (await self.graph.aget_state(self.config())).values

    async def question(self) -> Any:
        """The one pending interrupt."""
        (question,) = (await self.graph.aget_state(self.config())).interrupts
        return question

    async def asked(self) -> dict[str, Any]:
        """What it shows."""
        return (await self.question()).value

    async def waits(self) -> bool:
        return bool((await self.graph.aget_state(self.config())).interrupts)

    async def reply(self) -> str:
        """The newest message, which has to be ours."""
        newest = (await self.values())["messages"][-1]
        assert isinstance(newest, AIMessage)
        return newest.text


def calls_of(values: dict[str, Any]) -> list[str]:
    """The tools that were called since the newest message of the traveller, in order."""
    return [call["name"] for message in newest_request(values) for call in getattr(message, "tool_calls", [])]


def results(values: dict[str, Any], tool: str) -> list[ToolMessage]:
    """What a tool said since the newest message of the traveller."""
    return [
        message
        for message in newest_request(values)
        if isinstance(message, ToolMessage) and message.name == tool
    ]


def newest_request(values: dict[str, Any]) -> list[Any]:
    places = [place for place, message in enumerate(values["messages"]) if isinstance(message, HumanMessage)]
    return values["messages"][places[-1] :]


def whole(values: dict[str, Any]) -> bool:
    """Whether each tool call has exactly one result: providers refuse a conversation where one has none."""
    said = [message for message in values["messages"] if isinstance(message, AIMessage)]
    asked = [call["id"] for message in said for call in [*message.tool_calls, *message.invalid_tool_calls]]
    told = [message.tool_call_id for message in values["messages"] if isinstance(message, ToolMessage)]
    return sorted(map(str, asked)) == sorted(told)


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Its retries and breakers, without their waits."""
    hurry_all(patch, builder)

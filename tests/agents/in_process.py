"""A graph in this process, on a checkpointer in memory: one thread of it; and retries and breakers in a hurry."""

from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar, cast
from uuid import uuid4

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.graph import StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command

from agents.shared.resilience import RETRY
from agents.shared.resilience.breaker import _KEEPERS  # pyright: ignore[reportPrivateUsage]
from agents.shared.resilience.in_process import ProcessKeeper

StateT = TypeVar("StateT")


@dataclass
class Thread(Generic[StateT]):
    """One thread of `tenant`; `nodes` are those that ran in the last call, in order."""

    context: Any
    graph: CompiledStateGraph[Any, Any, Any, Any]
    recursion_limit: int
    tenant: str = "main"
    thread_id: str = field(default_factory=lambda: uuid4().hex)
    nodes: list[str] = field(default_factory=list)

    @property
    def identity(self) -> str:
        """Who the server's auth would have found."""
        return "ann"

    @property
    def config(self) -> RunnableConfig:
        user = {"identity": self.identity, "tenant": self.tenant}
        return {
            "configurable": {"thread_id": self.thread_id, "langgraph_auth_user": user},
            "recursion_limit": self.recursion_limit,
        }

    async def run(self, sent: Any) -> StateT:
        """Any run on the thread, until it stops; the state then."""
        stream = self.graph.astream(sent, self.config, context=self.context, stream_mode="updates")
        self.nodes = [node async for update in stream for node in update if node != "__interrupt__"]
        return await self.state()

    async def answer(self, **answer: Any) -> StateT:
        """Answer the one pending question."""
        question = await self.question()
        return await self.run(Command(resume={question.id: answer}))

    async def question(self) -> Any:
        (question,) = (await self.graph.aget_state(self.config)).interrupts
        return question

    async def state(self) -> StateT:
        return cast("StateT", (await self.graph.aget_state(self.config)).values)

    async def next(self) -> tuple[str, ...]:
        """What runs when the thread goes on."""
        return (await self.graph.aget_state(self.config)).next


def hurry_all(patch: pytest.MonkeyPatch, *builders: StateGraph[Any, Any, Any, Any]) -> None:
    """As many tries as ever, but hardly a wait between them; and breakers that know nothing of other tests."""
    patch.setattr("agents.shared.resilience.retry.wait_before_next", lambda *_: 0.01)
    quick = RETRY._replace(initial_interval=0.01, jitter=False)
    for spec in (spec for builder in builders for spec in builder.nodes.values()):
        if spec.retry_policy is not None:
            patch.setattr(spec, "retry_policy", quick)
    patch.setattr("agents.shared.database.TIMEOUT_S", 0.5)
    patch.setattr("agents.shared.database.LOST_AFTER_S", 0.2)
    patch.setattr(_KEEPERS, "own", ProcessKeeper())
    patch.setattr(_KEEPERS, "_shared_again_at", 0.0)

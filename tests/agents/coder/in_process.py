"""The coder's graph in this process, on a checkpointer in memory; and what stands in its table."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Self, cast
from uuid import uuid4

import psycopg
import pytest
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from psycopg.rows import DictRow, dict_row

from agents.coder.context import RECURSION_LIMIT, Context
from agents.coder.graph import builder
from agents.coder.state import State
from agents.shared.resilience import RETRY
from agents.shared.resilience.breaker import _KEEPERS  # pyright: ignore[reportPrivateUsage]
from agents.shared.resilience.in_process import ProcessKeeper
from tests.fakes.openai_answers import Action, Call, Say

DOUBLE_TESTS = "from solution import double\n\n\ndef test_it():\n    assert double(2) == 4\n"
GOOD, BAD, WORSE = (f"def double(x):\n    return {body}\n" for body in ("2 * x", "x + 1", "x / 0"))


@dataclass
class Bench:
    """One thread; `nodes` are those that ran in the last call, in order."""

    context: Context
    graph: CompiledStateGraph[Any, Any, Any, Any]
    tenant: str = "main"
    thread_id: str = field(default_factory=lambda: uuid4().hex)
    nodes: list[str] = field(default_factory=list)

    @classmethod
    def open(
        cls, *, tenant: str = "main", saver: BaseCheckpointSaver[str] | None = None, **context: Any
    ) -> Self:
        """A new thread; `context` is what the assistant would set."""
        graph = builder.compile(checkpointer=saver or InMemorySaver(), name="coder")
        return cls(Context(**{"model": "offline:rules", **context}), graph, tenant)

    @property
    def config(self) -> RunnableConfig:
        user = {"identity": "ann", "tenant": self.tenant}
        return {
            "configurable": {"thread_id": self.thread_id, "langgraph_auth_user": user},
            "recursion_limit": RECURSION_LIMIT,
        }

    async def ask(self, task: str, tests: str = "") -> State:
        """Set a task, go on until the run stops, return the state."""
        sent: dict[str, Any] = {"messages": [HumanMessage(task)]}
        return await self.run({**sent, "tests": tests} if tests else sent)

    async def answer(self, **answer: Any) -> State:
        """Answer the one pending question."""
        question = await self.question()
        return await self.run(Command(resume={question.id: answer}))

    async def question(self) -> Any:
        (question,) = (await self.graph.aget_state(self.config)).interrupts
        return question

    async def run(self, sent: Any) -> State:
        stream = self.graph.astream(sent, self.config, context=self.context, stream_mode="updates")
        self.nodes = [node async for update in stream for node in update if node != "__interrupt__"]
        return cast("State", (await self.graph.aget_state(self.config)).values)

    async def next(self) -> tuple[str, ...]:
        return (await self.graph.aget_state(self.config)).next


def kinds(state: State) -> list[str]:
    """How its rounds ended."""
    return [one["kind"] for one in state["tries"]]


def solutions(uri: str) -> list[dict[str, Any]]:
    """What was kept, oldest first."""
    with psycopg.Connection[DictRow].connect(uri, row_factory=dict_row) as conn:
        return conn.execute("select * from workshop.solutions order by solution_id").fetchall()


def letters(uri: str) -> list[dict[str, Any]]:
    """The dead letters."""
    with psycopg.Connection[DictRow].connect(uri, row_factory=dict_row) as conn:
        return conn.execute("select graph, node, thread_id, reason from shop.dead_letters").fetchall()


def writes(*codes: str, tests: str = DOUBLE_TESTS) -> Callable[[Call], Action]:
    """A model that writes these one after the other, and the last one from then on."""
    left = list(codes)

    def answer(call: Call) -> Action:
        if not call.body.get("tools"):
            return Say("It does not double.")
        code = left.pop(0) if len(left) > 1 else left[0]
        return Say(tool_calls=(("Solution", {"code": code, "tests": tests}),))

    return answer


def hurry(patch: pytest.MonkeyPatch) -> None:
    """As many tries as ever, but hardly a wait between them; and breakers that know nothing of other tests."""
    patch.setattr("agents.shared.resilience.retry.wait_before_next", lambda *_: 0.01)
    quick = RETRY._replace(initial_interval=0.01, jitter=False)
    for spec in builder.nodes.values():
        if spec.retry_policy is not None:
            patch.setattr(spec, "retry_policy", quick)
    patch.setattr("agents.shared.database.TIMEOUT_S", 0.5)
    patch.setattr("agents.shared.database.LOST_AFTER_S", 0.2)
    patch.setattr(_KEEPERS, "own", ProcessKeeper())
    patch.setattr(_KEEPERS, "_shared_again_at", 0.0)

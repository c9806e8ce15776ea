"""The coder's graph in this process, on a checkpointer in memory; and what stands in its table."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import psycopg
import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from psycopg.rows import DictRow, dict_row

from agents.coder.context import RECURSION_LIMIT, Context
from agents.coder.graph import builder
from agents.coder.state import State
from tests.agents.in_process import Thread, hurry_all
from tests.fakes.openai_answers import Action, Call, Say

DOUBLE_TESTS = "from solution import double\n\n\ndef test_it():\n    assert double(2) == 4\n"
GOOD, BAD, WORSE = (f"def double(x):\n    return {body}\n" for body in ("2 * x", "x + 1", "x / 0"))


@dataclass
class Bench(Thread[State]):
    """One thread, and what is done with it."""

    @classmethod
    def open(
        cls, *, tenant: str = "main", saver: BaseCheckpointSaver[str] | None = None, **context: Any
    ) -> Self:
        """A new thread; `context` is what the assistant would set."""
        graph = builder.compile(checkpointer=saver or InMemorySaver(), name="coder")
        return cls(Context(**{"model": "offline:rules", **context}), graph, RECURSION_LIMIT, tenant)

    async def ask(self, task: str, tests: str = "") -> State:
        """Set a task, go on until the run stops, return the state."""
        sent: dict[str, Any] = {"messages": [HumanMessage(task)]}
        return await self.run({**sent, "tests": tests} if tests else sent)


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
    """Its retries and breakers, without their waits."""
    hurry_all(patch, builder)

"""The engineering team in this process, on a checkpointer in memory; its models are the written rules, or scripted."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self, cast

import psycopg
import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from psycopg.rows import DictRow, dict_row

from agents.engineering_team.context import RECURSION_LIMIT, Context
from agents.engineering_team.graph import builder
from agents.engineering_team.rules import answer as written_rules
from agents.engineering_team.state import State
from tests.agents.in_process import Thread, hurry_all
from tests.fakes.openai_answers import Action, Call, Say, by_rules

SIGNATURE = "Write a function that verifies the signature of a webhook."
CELSIUS = "Write a function that turns Fahrenheit into Celsius."
QUESTION = "How do we compare signatures?"
VAGUE = "Make everything better, please."


@dataclass
class Team(Thread[State]):
    """One thread, and what is done with it."""

    @classmethod
    def open(
        cls, *, tenant: str = "main", saver: BaseCheckpointSaver[str] | None = None, **context: Any
    ) -> Self:
        """A new thread; `context` is what the assistant would set."""
        graph = builder.compile(checkpointer=saver or InMemorySaver(), name="engineering_team")
        return cls(Context(**{"model": "offline:rules", **context}), graph, RECURSION_LIMIT, tenant)

    @property
    def identity(self) -> str:
        return f"ann-of-{self.tenant}"

    async def ask(self, task: str, **more: Any) -> State:
        """Set a task, go on until the run stops, return the state."""
        return await self.run({"messages": [HumanMessage(task)], **more})

    async def values(self) -> State:
        return await self.state()


def made(state: State) -> dict[str, Any]:
    """The deliverable at the end; the reply has to be the last message."""
    found = state.get("deliverable")
    assert found
    assert found["outcome"] == state.get("outcome")
    return cast("dict[str, Any]", found)


def reply(state: State) -> str:
    return state["messages"][-1].text


def asked(state: State) -> list[str]:
    """To whom was handed over, in order; the lead's hand-offs among them."""
    return [one["to"] for one in state["handoffs"]]


def rows(uri: str, table: str) -> list[dict[str, Any]]:
    """All rows of a table, oldest first."""
    with psycopg.Connection[DictRow].connect(uri, row_factory=dict_row) as conn:
        return conn.execute(f"select * from {table} order by 1").fetchall()  # type: ignore[arg-type]


def deliverables(uri: str) -> list[dict[str, Any]]:
    return rows(uri, "workshop.deliverables")


def letters(uri: str) -> list[dict[str, Any]]:
    return rows(uri, "shop.dead_letters")


def who(call: Call) -> str:
    """Whose request it is: the task on the first line of its system prompt."""
    return call.body["messages"][0]["content"].partition("\n")[0].removeprefix("Task: ")


def facts(call: Call) -> dict[str, Any]:
    """What was sent as facts."""
    return json.loads(next(one["content"] for one in call.body["messages"] if one["role"] == "user"))


def scripted(**by: Any) -> Callable[[Call], Action]:
    """A provider that answers who is named by `by` (an action, or a function of the call), others by the rules."""
    rules = by_rules(written_rules)

    def respond(call: Call) -> Action:
        action: Any = by.get(who(call), rules)
        answer: Any = action(call) if callable(action) else action
        return answer

    return respond


def goes(route: str, brief: str = "", reason: str = "because") -> Say:
    """A supervisor's decision."""
    return Say(tool_calls=(("Decision", {"route": route, "brief": brief, "reason": reason}),))


def in_turn(*actions: Action) -> Callable[[Call], Action]:
    """These one after the other, and the last one from then on."""
    left = list(actions)
    return lambda _: left.pop(0) if len(left) > 1 else left[0]


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Its retries and breakers, without their waits."""
    hurry_all(patch, builder)

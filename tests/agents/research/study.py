"""Researches in this process: one thread of one tenant, on a checkpointer of the test's choice."""

from dataclasses import dataclass, field
from typing import Any, Self, cast
from uuid import uuid4

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph

from agents.research.context import RECURSION_LIMIT, Context
from agents.research.graph import builder
from agents.research.rules import answer as written_rules
from agents.shared.offline import Reply, Request
from agents.shared.retrieval import rules as retrieval_rules
from agents.shared.retrieval.graph import builder as retrieval_builder
from tests.agents.in_process import hurry_all
from tests.agents.shared.retrieval.searching import config_of
from tests.fakes.openai_answers import Action, Call, Hang, Say, by_rules

DELIVERY = "How long does standard delivery take?"
PAYPAL = "Can I pay with PayPal?"
NOBODY_KNOWS = "Who won the football world cup in 1966?"
Values = dict[str, Any]


@dataclass
class Study:
    """One thread; `streamed` is what the last question told of its progress."""

    context: Context
    graph: CompiledStateGraph[Any, Any, Any, Any]
    tenant: str = "main"
    thread_id: str = field(default_factory=lambda: uuid4().hex)
    streamed: list[dict[str, Any]] = field(default_factory=list)

    @classmethod
    def open(
        cls, saver: BaseCheckpointSaver[Any] | None = None, tenant: str = "main", **context: Any
    ) -> Self:
        """A new thread; `context` is what the assistant would set."""
        graph = builder.compile(checkpointer=saver or InMemorySaver(), name="research")
        settings = {"model": "offline:rules", "embeddings": "offline:ngrams", **context}
        return cls(Context(**settings), graph, tenant)

    @property
    def config(self) -> RunnableConfig:
        return {**config_of(self.tenant, self.thread_id), "recursion_limit": RECURSION_LIMIT}

    async def ask(self, question: str, **options: Any) -> Values:
        """Ask, go on until the run stops; what a caller gets."""
        return await self.run({"question": question}, **options)

    async def run(self, sent: Any, **options: Any) -> Values:
        """Any run on the thread; its output, and its progress in `streamed`."""
        self.streamed, values = [], Values()
        stream = self.graph.astream(
            sent, self.config, context=self.context, stream_mode=["custom", "values"],
            output_keys=self.graph.output_channels, **options,
        )  # fmt: skip
        async for mode, part in cast("Any", stream):
            if mode == "custom":
                self.streamed.append(part)
            else:
                values = part
        return values

    async def state(self) -> Values:
        """All of it, what is private too."""
        return (await self.graph.aget_state(self.config)).values

    async def next(self) -> tuple[str, ...]:
        return (await self.graph.aget_state(self.config)).next

    @property
    def progress(self) -> list[str]:
        return [part["progress"] for part in self.streamed]


def as_written(request: Request) -> Reply:
    """The written rules of the research and of the retrieval below it."""
    rules = retrieval_rules.answer if request.system.startswith("Task: decompose") else written_rules
    return rules(request)


def task_of(call: Call) -> str:
    """Which task a model was given."""
    return call.body["messages"][0]["content"].partition("\n")[0].removeprefix("Task: ")


def claiming(*claims: tuple[str, list[int]]) -> Say:
    """A model's answer with these sentences and sources."""
    made = [{"text": text, "sources": sources} for text, sources in claims]
    return Say(tool_calls=(("Synthesis", {"claims": made}),))


def model_that(**answers: Action) -> Any:
    """A provider that answers as the rules do, but these tasks so."""

    def respond(call: Call) -> Action:
        return answers.get(task_of(call)) or by_rules(as_written)(call)

    return respond


def slow_for(query: str, usual: Any) -> Any:
    """Hangs for one query, and answers the others as before."""
    return lambda call: Hang() if call.body["query"] == query else usual(call)


def hurry(patch: pytest.MonkeyPatch) -> None:
    """Its retries and breakers, and the retrieval's, without their waits."""
    hurry_all(patch, builder, retrieval_builder)

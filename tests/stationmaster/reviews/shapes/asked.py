"""Starts real graphs until they ask, and answers them with what the shapes make of a submission."""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import count
from typing import Any, Self

from langgraph_sdk.client import LangGraphClient

from stationmaster.reviews import shapes
from stationmaster.reviews.model import Kind, Pending, Resume, Submission
from tests.fakes.graphs import ledger
from tests.fakes.graphs.script import scripted

_numbers = count(1)
PLACEHOLDER = "placeholder-id"


@dataclass(frozen=True)
class Thread:
    """One thread that waits; `key` is its own in the ledger."""

    client: LangGraphClient
    ledger_uri: str
    graph: str
    thread_id: str
    key: str

    async def state(self) -> Any:
        return await self.client.threads.get_state(self.thread_id, subgraphs=True)

    async def status(self) -> str:
        return (await self.client.threads.get(self.thread_id))["status"]

    async def questions(self) -> list[Pending]:
        """What is pending, in the order of the state."""
        state = await self.state()
        if not state["interrupts"]:
            value = {"next": state["next"], "values": state["values"]}
            node = state["next"][0] if state["next"] else None
            return [self._pending("", value, None, node, "breakpoint")] if state["next"] else []
        found = [
            (task["name"], interrupt) for task in state["tasks"] for interrupt in task.get("interrupts", ())
        ]
        return [
            self._pending(
                interrupt["id"],
                interrupt["value"],
                interrupt.get("response_schema"),
                node,
                "node_interrupt" if interrupt["id"] == PLACEHOLDER else "interrupt",
            )
            for node, interrupt in found
        ]

    def _pending(self, interrupt_id: str, value: Any, schema: Any, node: str | None, kind: Kind) -> Pending:
        return Pending(self.thread_id, interrupt_id, value, schema, node, kind=kind)

    async def question(self) -> Pending:
        (question,) = await self.questions()
        return question

    async def answer(self, submission: Submission, question: Pending | None = None) -> Self:
        """Send what the question's shape makes of it, and wait until the run stops."""
        question = question or await self.question()
        resume = shapes.of(question).answer(question, submission)
        await self.send(question, resume)
        return self

    async def send(self, question: Pending, resume: Resume) -> None:
        """As `Resume` says, by interrupt id."""
        if resume.kind == "resume":
            await self.run(command={"resume": {question.interrupt_id: resume.value}})
            return
        if resume.kind == "update_state" or resume.state_update is not None:
            await self.client.threads.update_state(
                self.thread_id, resume.state_update, as_node=resume.as_node
            )
        await self.run(input=None)

    async def run(self, **options: Any) -> Any:
        return await self.client.runs.wait(self.thread_id, self.graph, raise_error=False, **options)

    def effects(self, key: str | None = None) -> list[tuple[str, Any]]:
        return ledger.read(self.ledger_uri, key or self.key)


@dataclass(frozen=True)
class Asked:
    """The server of the interrupting graphs."""

    client: LangGraphClient
    ledger_uri: str

    async def start(self, graph: str, values: Mapping[str, Any], key: str) -> Thread:
        """A new thread of the graph, run until it waits."""
        thread = await self.client.threads.create()
        made = Thread(self.client, self.ledger_uri, graph, thread["thread_id"], key)
        await made.run(input=values)
        return made

    async def ask(self, graph: str, **values: Any) -> Thread:
        """The same for graphs that take {"key", ...}."""
        key = f"{graph}-{next(_numbers)}"
        return await self.start(graph, {"key": key, **values}, key)

    async def call(self, graph: str, *calls: tuple[str, dict[str, Any]]) -> Thread:
        """The same for agents that call tools; each call's key is the thread's, with its number."""
        key = f"{graph}-{next(_numbers)}"
        keyed = [(name, {"key": f"{key}.{n}", **args}) for n, (name, args) in enumerate(calls)]
        return await self.start(graph, scripted(*keyed), key)

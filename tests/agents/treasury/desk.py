"""The treasury in this process: one thread, callers by name, answers by interrupt id, and the book counted."""

from dataclasses import dataclass, field
from typing import Any, Self
from uuid import uuid4

import psycopg
from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from langgraph.types import Command
from psycopg.rows import dict_row

from agents.treasury.context import RECURSION_LIMIT, Context
from agents.treasury.graph import builder

TENANT = "main"
"""Whose desks are opened; the fixture `book` sets a test's own."""
APPROVE = {"action": "approve"}
ACCOUNT = "DE89370400440532013000"


def pay(amount: float, reference: str | None = None, **changes: Any) -> dict[str, Any]:
    """A payment to a payee that is on no list, for an invoice that no other test has."""
    reference = reference or f"INV-{uuid4().hex[:10]}"
    proposal = {"kind": "payment", "beneficiary": "Nordwind Logistics GmbH", "account": ACCOUNT}
    return {**proposal, "amount_usd": amount, "reference": reference, **changes}


def trade(side: str, quantity: int, symbol: str = "ACME") -> dict[str, Any]:
    return {"kind": "trade", "side": side, "symbol": symbol, "quantity": quantity}


@dataclass
class Desk:
    """One thread of one requester."""

    requester: str = "rosa"
    tenant: str = field(default_factory=lambda: TENANT)
    context: Context = field(default_factory=lambda: Context(model="offline:rules"))
    graph: CompiledStateGraph[Any, Any, Any, Any] = field(
        default_factory=lambda: builder.compile(checkpointer=InMemorySaver(), name="treasury")
    )
    thread_id: str = field(default_factory=lambda: uuid4().hex)
    nodes: list[str] = field(default_factory=list)

    def config(self, caller: str | None = None) -> RunnableConfig:
        """As the server makes it for this caller's key."""
        user = {"identity": caller or self.requester, "tenant": self.tenant}
        return {
            "configurable": {"thread_id": self.thread_id, "langgraph_auth_user": user},
            "recursion_limit": RECURSION_LIMIT,
        }

    async def say(self, text: str, *, by: str | None = None) -> dict[str, Any]:
        """Ask for something in words."""
        return await self.run({"messages": [HumanMessage(text)]}, by=by)

    async def ask(self, request: dict[str, Any], *, by: str | None = None) -> dict[str, Any]:
        """Ask for exactly this."""
        return await self.run({"request": request}, by=by)

    async def answer(self, answer: Any, *, by: str, update: dict[str, Any] | None = None) -> dict[str, Any]:
        """Answer the one pending question with somebody's own key."""
        command: Command[Any] = Command(resume={(await self.question()).id: answer}, update=update)
        return await self.run(command, by=by)

    async def decided(self, answer: Any, *people: str, **update: Any) -> dict[str, Any]:
        """Answer it as the review service does: by its own key, saying who decided."""
        said = {"decided_by": people[-1], "deciders": list(people), **update}
        return await self.answer(answer, by="console", update=said)

    async def run(self, sent: Any, *, by: str | None = None) -> dict[str, Any]:
        """Any run on the thread; `nodes` are those that ran, in order."""
        self.nodes = []
        stream = self.graph.astream(sent, self.config(by), context=self.context, stream_mode="updates")
        async for update in stream:
            self.nodes += [node for node in update if node != "__interrupt__"]
        return await self.values()

    async def replay(self, before: str) -> dict[str, Any]:
        """Go back to where `before` was about to run, and run from there as the requester."""
        history = [snapshot async for snapshot in self.graph.aget_state_history(self.config())]
        there = next(snapshot for snapshot in history if snapshot.next == (before,))
        config: RunnableConfig = self.config()
        config["configurable"] = {**config.get("configurable", {}), **there.config.get("configurable", {})}
        return await self.graph.ainvoke(None, config, context=self.context)

    async def values(self) -> dict[str, Any]:
        return (await self.graph.aget_state(self.config())).values

    async def question(self) -> Any:
        """The one pending interrupt."""
        (question,) = (await self.graph.aget_state(self.config())).interrupts
        return question

    async def waits(self) -> bool:
        return bool((await self.graph.aget_state(self.config())).interrupts)


@dataclass(frozen=True)
class Book:
    """What the treasury's tables hold."""

    uri: str
    tenant: str = "main"

    def transactions(self, thread_id: str) -> list[dict[str, Any]]:
        """A thread's transactions, oldest first."""
        return self.rows(
            "select * from treasury.transactions where starts_with(request, %s) order by 1", thread_id
        )

    def statuses(self, thread_id: str) -> list[str]:
        return [row["status"] for row in self.transactions(thread_id)]

    def signers(self, thread_id: str) -> list[str]:
        """Who signed the thread's transactions, sorted."""
        found = self.rows(
            "select signer from treasury.signatures join treasury.transactions using (transaction_id) "
            "where starts_with(request, %s) order by signer",
            thread_id,
        )
        return [row["signer"] for row in found]

    def mails(self, thread_id: str) -> list[dict[str, Any]]:
        return self.rows("select * from shop.mails where starts_with(ticket_id, %s) order by 1", thread_id)

    def dead_letters(self, thread_id: str) -> list[dict[str, Any]]:
        return self.rows("select * from shop.dead_letters where thread_id = %s order by 1", thread_id)

    def execute(self, statement: Any, *params: object) -> None:
        with psycopg.connect(self.uri) as conn:
            conn.execute(statement, params)

    def rows(self, query: Any, *params: object) -> list[dict[str, Any]]:
        with psycopg.connect(self.uri) as conn, conn.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query, params).fetchall()

    @classmethod
    def with_officers(cls, uri: str, *names: str, tenant: str) -> Self:
        """The book, in which these may sign with keys of their own."""
        book = cls(uri, tenant)
        book.execute("insert into treasury.limits (tenant) values (%s) on conflict do nothing", tenant)
        for name in names:
            book.execute("insert into treasury.officers (tenant, name) values (%s, %s)", tenant, name)
        return book

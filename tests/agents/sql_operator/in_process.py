"""The SQL operator's graph in this process, on a checkpointer in memory; and what stands in its tables."""

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
from psycopg.rows import DictRow, dict_row

from agents.shared.resilience import RETRY
from agents.shared.resilience.breaker import _KEEPERS  # pyright: ignore[reportPrivateUsage]
from agents.shared.resilience.in_process import ProcessKeeper
from agents.sql_operator.context import RECURSION_LIMIT, Context
from agents.sql_operator.graph import builder
from agents.sql_operator.state import State

SET_LEVEL = "Set the reorder level of P9001-1 to 25"


@dataclass
class Desk:
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
        graph = builder.compile(
            checkpointer=saver or InMemorySaver(), name="sql_operator", interrupt_before=["execute"]
        )
        return cls(Context(**{"model": "offline:rules", **context}), graph, tenant)

    @property
    def config(self) -> RunnableConfig:
        user = {"identity": "ann", "tenant": self.tenant}
        return {
            "configurable": {"thread_id": self.thread_id, "langgraph_auth_user": user},
            "recursion_limit": RECURSION_LIMIT,
        }

    async def ask(self, text: str) -> State:
        """Ask, go on until the run stops, return the state."""
        return await self.run({"messages": [HumanMessage(text)]})

    async def approve(self) -> State:
        """Let it go on from where it waits."""
        assert await self.next() == ("execute",)
        return await self.run(None)

    async def write(self, as_node: str | None = None, **values: Any) -> State:
        """Write into the state of the waiting thread, and go on."""
        await self.graph.aupdate_state(self.config, values, as_node=as_node)
        return await self.run(None)

    async def run(self, sent: Any) -> State:
        stream = self.graph.astream(sent, self.config, context=self.context, stream_mode="updates")
        self.nodes = [node async for update in stream for node in update if node != "__interrupt__"]
        return await self.state()

    async def state(self) -> State:
        return cast("State", (await self.graph.aget_state(self.config)).values)

    async def next(self) -> tuple[str, ...]:
        return (await self.graph.aget_state(self.config)).next


def rows(uri: str, query: str, *values: Any) -> list[dict[str, Any]]:
    """What the owner of the database sees."""
    with psycopg.Connection[DictRow].connect(uri, row_factory=dict_row) as conn:
        return conn.execute(query.encode(), values or None).fetchall()


def level(uri: str, sku: str = "P9001-1") -> int:
    """The reorder level of a product of the tenant `main`."""
    found = rows(uri, "select reorder_level from desk.stock where tenant = 'main' and sku = %s", sku)
    return found[0]["reorder_level"]


def writes(uri: str, talk: Desk) -> int:
    """How many writes a thread has carried out."""
    query = "select count(*) as n from desk.writes where idempotency_key like %s"
    return rows(uri, query, f"write:{talk.thread_id}:%")[0]["n"]


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

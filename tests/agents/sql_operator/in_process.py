"""The SQL operator's graph in this process, on a checkpointer in memory; and what stands in its tables."""

from dataclasses import dataclass
from typing import Any, Self

import psycopg
import pytest
from langchain_core.messages import HumanMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.checkpoint.memory import InMemorySaver
from psycopg.rows import DictRow, dict_row

from agents.sql_operator.context import RECURSION_LIMIT, Context
from agents.sql_operator.graph import builder
from agents.sql_operator.state import State
from tests.agents.in_process import Thread, hurry_all

SET_LEVEL = "Set the reorder level of P9001-1 to 25"


@dataclass
class Desk(Thread[State]):
    """One thread, and what is done with it."""

    @classmethod
    def open(
        cls, *, tenant: str = "main", saver: BaseCheckpointSaver[str] | None = None, **context: Any
    ) -> Self:
        """A new thread; `context` is what the assistant would set."""
        graph = builder.compile(
            checkpointer=saver or InMemorySaver(), name="sql_operator", interrupt_before=["execute"]
        )
        return cls(Context(**{"model": "offline:rules", **context}), graph, RECURSION_LIMIT, tenant)

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
    """Its retries and breakers, without their waits."""
    hurry_all(patch, builder)

"""A database in which things happened at known times, and the digest over it in this process."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any, cast
from uuid import uuid4

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from psycopg.rows import dict_row

from agents.digest.context import RECURSION_LIMIT, Context
from agents.digest.graph import builder

SLOT = datetime(2026, 3, 11, 7, tzinfo=UTC)
"""A Wednesday at seven in London, which has winter time then."""
READER = "desk@shop.example"
_numbers = count(1)


@dataclass
class World:
    """What happened, in the database behind `uri`; each helper adds one thing at a moment."""

    uri: str

    def refund(self, at: datetime, usd: float, *, order_id: str, ticket: str = "T-1") -> None:
        self.do(
            "insert into shop.refunds "
            "(idempotency_key, order_id, ticket_id, amount_usd, provider, reference, created_at) "
            "values (%s, %s, %s, %s, 'ledger', 'R', %s)",
            self._key(), order_id, ticket, usd, at,
        )  # fmt: skip

    def mail(self, at: datetime, *, ticket: str, to: str = "c@example.com", key: str = "") -> None:
        self.do(
            "insert into shop.mails (idempotency_key, ticket_id, recipient, subject, body, queued_at) "
            "values (%s, %s, %s, 's', 'b', %s)",
            key or self._key(), ticket, to, at,
        )  # fmt: skip

    def dead_letter(self, at: datetime, *, ticket: str) -> None:
        self.do(
            "insert into shop.dead_letters (idempotency_key, graph, node, ticket_id, reason, detail, buried_at) "
            "values (%s, 'g', 'n', %s, 'r', '{}', %s)",
            self._key(), ticket, at,
        )  # fmt: skip

    def review(
        self, opened: datetime, title: str = "Refund?", *, answered: datetime | None = None, **more: Any
    ) -> None:
        values = {
            "thread_id": str(uuid4()), "interrupt_id": uuid4().hex, "digest": "0" * 64, "kind": "interrupt",
            "shape": "plain", "checkpoint_id": "c", "title": title, "payload": "{}", "opened_at": opened, **more,
        }  # fmt: skip
        columns, marks = ", ".join(values), ", ".join(["%s"] * len(values))
        self.do(f"insert into reviews.reviews ({columns}) values ({marks})", *values.values())
        if answered:
            self.do(
                "update reviews.reviews set state = 'decided', decided_by = 'ada', decided_at = %s, "
                "decision = 'approve', answer = '{}', resume = '{}' where thread_id = %s",
                answered, values["thread_id"],
            )  # fmt: skip

    def webhook(self, at: datetime, status: str, *, run_id: str | None = None) -> str:
        run_id = run_id or str(uuid4())
        self.do(
            "insert into webhooks.deliveries (dedup_key, sender, body, received_at, thread_id, run_id, run_status) "
            "values (%s, 'bearer', '', %s, 'thread-1', %s, %s)",
            self._key(), at, run_id, status,
        )  # fmt: skip
        return run_id

    def tick(self, at: datetime, outcome: str, *, run_id: str, cron: str = "nightly") -> None:
        self.do(
            "insert into crons.ticks (cron, cron_id, trigger, planned_at, outcome, reason, run_id, fresh, ended_at) "
            "values (%s, gen_random_uuid(), 'schedule', %s, %s, 'because', %s, true, %s)",
            cron, at, outcome, run_id, at,
        )  # fmt: skip

    def model_call(
        self, at: datetime, usd: float, *, model: str = "openai:gpt-4.1-mini", **more: Any
    ) -> None:
        values = {
            "graph": "support", "node": "classify", "model": model, "input_tokens": 100, "output_tokens": 20,
            "usd": usd, "unpriced": False, "called_at": at, **more,
        }  # fmt: skip
        columns, marks = ", ".join(values), ", ".join(["%s"] * len(values))
        self.do(f"insert into shop.model_calls ({columns}) values ({marks})", *values.values())

    def reports(self) -> list[dict[str, Any]]:
        """All that were kept, oldest first."""
        return self.rows("select * from digest.reports order by report_id")

    def mails(self) -> list[dict[str, Any]]:
        """The reports in the outbox."""
        return self.rows(
            "select * from shop.mails where starts_with(idempotency_key, 'digest:') order by mail_id"
        )

    def do(self, statement: Any, *values: Any) -> None:
        with psycopg.connect(self.uri) as conn:
            conn.execute(statement, values)

    def rows(self, query: Any) -> list[dict[str, Any]]:
        with psycopg.connect(self.uri) as conn, conn.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query).fetchall()

    def _key(self) -> str:
        return f"test-{next(_numbers)}"


@dataclass
class Digest:
    """Runs of the graph on threads of their own, as a cron's are."""

    context: Context
    graph: CompiledStateGraph[Any, Any, Any, Any] = field(
        default_factory=lambda: builder.compile(checkpointer=InMemorySaver(), name="digest")
    )

    @classmethod
    def of(cls, **context: Any) -> "Digest":
        return cls(Context(**{"model": "offline:rules", **context}))

    async def run(self, slot: datetime | None = SLOT, **configurable: Any) -> dict[str, Any]:
        """A run for the slot that a moment belongs to; its output."""
        config: RunnableConfig = {
            "configurable": {"thread_id": uuid4().hex, **configurable},
            "recursion_limit": RECURSION_LIMIT,
        }
        sent = {"slot": slot.isoformat()} if slot else {}
        return cast("dict[str, Any]", await self.graph.ainvoke(sent, config, context=self.context))


def ago(**span: float) -> datetime:
    """So long before the slot's end."""
    return SLOT - timedelta(**span)

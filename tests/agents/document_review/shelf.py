"""Reviews in this process: documents put on the shelf, one thread a review, and the tables counted."""

from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import psycopg
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph.state import CompiledStateGraph
from psycopg.rows import dict_row

from agents.document_review.context import RECURSION_LIMIT, Context
from agents.document_review.graph import STOP_AFTER, builder

TENANT = "main"
"""Whose documents are reviewed; the fixture `shelf` sets a test's own."""

COMPLAINT = """Dear team,

I am very disappointed: the blender arrived broken and your hotline was rude. This is unacceptable.

Write to me at rosa.delgado@example.net or call +49 30 1234567. The refund goes to DE89 3704 0044 0532 0130 00.

Sincerely, Rosa Delgado
"""
CONTRACT = """SERVICE AGREEMENT

This agreement is made between Nordwind GmbH and the shop, effective 1 March 2026. The parties agree as follows.
It may be terminated with a notice period of three months. Our product is a risk-free investment.
"""
PLAIN = "The garden is open on Sundays.\n\nTulips bloom in April, and asters in September.\n"


@dataclass(frozen=True)
class Shelf:
    """The tables behind `uri`, of one tenant."""

    uri: str
    tenant: str = "main"

    def put(
        self, content: str | bytes, media_type: str = "text/plain", document_id: str | None = None
    ) -> str:
        """Put a document on the shelf, or another in its place; its id."""
        document_id = document_id or f"doc-{uuid4().hex[:12]}"
        row = (self.tenant, document_id, f"Title of {document_id}", media_type)
        self.execute(
            "insert into documents.files (tenant, document_id, title, media_type, content, uploaded_by) "
            "values (%s, %s, %s, %s, %s, 'test') "
            "on conflict (tenant, document_id) do update set content = excluded.content",
            *row,
            content.encode() if isinstance(content, str) else content,
        )
        return document_id

    def findings(self, thread_id: str, branch: str) -> list[dict[str, Any]]:
        return self.rows(
            "select * from documents.findings where starts_with(key, %s) and branch = %s order by number",
            thread_id,
            branch,
        )

    def page(self, document_id: str, page: int) -> str:
        """The text of a page, as it is kept."""
        (row,) = self.rows(
            "select text from documents.pages where tenant = %s and document_id = %s and page = %s",
            self.tenant,
            document_id,
            page,
        )
        return row["text"]

    def reviews(self, thread_id: str) -> list[dict[str, Any]]:
        return self.rows(
            "select * from documents.reviews where starts_with(key, %s) order by reported_at", thread_id
        )

    def publications(self, thread_id: str) -> list[dict[str, Any]]:
        return self.rows("select * from documents.publications where starts_with(key, %s)", thread_id)

    def dead_letters(self, thread_id: str) -> list[dict[str, Any]]:
        return self.rows("select * from shop.dead_letters where thread_id = %s order by 1", thread_id)

    def execute(self, statement: Any, *params: object) -> None:
        with psycopg.connect(self.uri) as conn:
            conn.execute(statement, params)

    def rows(self, query: Any, *params: object) -> list[dict[str, Any]]:
        with psycopg.connect(self.uri) as conn, conn.cursor(row_factory=dict_row) as cursor:
            return cursor.execute(query, params).fetchall()


@dataclass
class Review:
    """One thread of one caller."""

    caller: str = "rosa"
    tenant: str = field(default_factory=lambda: TENANT)
    context: Context = field(default_factory=lambda: Context(model="offline:rules"))
    saver: InMemorySaver = field(default_factory=InMemorySaver)
    graph: CompiledStateGraph[Any, Any, Any, Any] = field(init=False)
    thread_id: str = field(default_factory=lambda: uuid4().hex)
    nodes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.graph = builder.compile(
            checkpointer=self.saver, name="document_review", interrupt_after=STOP_AFTER
        )

    def config(self, caller: str | None = None) -> RunnableConfig:
        """As the server makes it for this caller's key."""
        user = {"identity": caller or self.caller, "tenant": self.tenant}
        return {
            "configurable": {"thread_id": self.thread_id, "langgraph_auth_user": user},
            "recursion_limit": RECURSION_LIMIT,
        }

    async def of(self, document_id: str) -> dict[str, Any]:
        """Begin a review; it stops after the report."""
        return await self.run({"document_id": document_id})

    async def go_on(self, *, by: str = "kim", **changes: Any) -> dict[str, Any]:
        """Go on from the breakpoint, after a change of state if there is one."""
        if changes:
            await self.graph.aupdate_state(self.config(by), changes)
        return await self.run(None, by=by)

    async def run(self, sent: Any, *, by: str | None = None) -> dict[str, Any]:
        """Any run on the thread; `nodes` are those that ran, in order."""
        self.nodes = []
        stream = self.graph.astream(sent, self.config(by), context=self.context, stream_mode="updates")
        async for update in stream:
            if not update.get("__metadata__", {}).get("cached"):  # else it ran before, and is told again
                self.nodes += [node for node in update if node != "__interrupt__"]
        return await self.values()

    async def values(self) -> dict[str, Any]:
        return (await self.graph.aget_state(self.config())).values

    async def next(self) -> tuple[str, ...]:
        """What runs when the thread goes on."""
        return (await self.graph.aget_state(self.config())).next

"""Runs a graph as a caller of a tenant does, on a thread of its own."""

from typing import Any
from uuid import uuid4

from langchain_core.runnables import RunnableConfig


def config_of(tenant: str, thread_id: str | None = None) -> RunnableConfig:
    """As the server makes it for a key of that tenant."""
    user = {"identity": f"{tenant}-key", "tenant": tenant}
    return {"configurable": {"thread_id": thread_id or uuid4().hex, "langgraph_auth_user": user}}


async def as_tenant(tenant: str, graph: Any, asked: Any) -> dict[str, Any]:
    """What the graph answers."""
    return await graph.ainvoke(asked, config_of(tenant))

"""A thread's graph, opened to read or change its state."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from langgraph_runtime_community.checkpoint.saver import Checkpointer
from langgraph_runtime_community.sealing import objects

Row = dict[str, Any]


def reader() -> Checkpointer:
    """For answers in JSON: objects in the state stay what they were made of, their classes need not be there."""
    from langgraph.checkpoint.serde.jsonplus import _msgpack_ext_hook_to_json  # pyright: ignore[reportPrivateUsage]

    return Checkpointer(unpack_hook=_msgpack_ext_hook_to_json, lease=None)


def writer() -> Checkpointer:
    """One that belongs to no run, also where a node calls the API of its own server."""
    return Checkpointer(lease=None)


@asynccontextmanager
async def opened(
    thread: Row, graph_id: str, config: Row, access: str, checkpointer: Checkpointer
) -> AsyncIterator[Any]:
    """The graph on that checkpointer; `access` is what its factory is told that it is for."""
    from langgraph_api.graph import get_graph
    from langgraph_api.store import get_store

    kept = await objects.open_config(thread["config"])
    merged = {**kept, "configurable": {**kept.get("configurable", {}), **config.get("configurable", {})}}
    store: Any = await get_store()
    typed: Any = merged
    why: Any = access
    async with get_graph(
        graph_id, typed, checkpointer=checkpointer, store=store, access_context=why
    ) as graph:
        yield graph

"""The long-term store: AsyncPostgresStore on the runtime's pool, with the index and times to live of langgraph.json."""

import asyncio
from typing import Any, cast
from weakref import WeakKeyDictionary

from langgraph.store.postgres.aio import AsyncPostgresStore

from langgraph_runtime_community import database
from langgraph_runtime_community.sealing.blobs import active
from langgraph_runtime_community.sealing.items import SealedStore

_stores: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncPostgresStore] = WeakKeyDictionary()


def Store(*_: Any, **__: Any) -> AsyncPostgresStore:  # noqa: N802  the server asks for it by this name
    """The store of the running event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _stores:
        _stores[loop] = make(database.pool())
    return _stores[loop]


def make(conn: Any) -> AsyncPostgresStore:
    """A store on a pool or connection, as langgraph.json has it."""
    from langgraph_api.config import STORE_CONFIG
    from langgraph_api.graph import resolve_embeddings

    configured = cast("dict[str, Any]", STORE_CONFIG or {})
    index: Any = configured.get("index")
    if index:
        index = {**index, "embed": resolve_embeddings(index)}
    kind = SealedStore if active() else AsyncPostgresStore
    return kind(conn, index=index, ttl=configured.get("ttl"))

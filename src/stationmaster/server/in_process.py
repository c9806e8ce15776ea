"""This server, asked by its own handlers: without the network, without a key, and without ever failing a run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import httpx
from langgraph_sdk import get_client
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import LangGraphError, NotFoundError

from stationmaster.reconcile.reading_back import assistant_from
from stationmaster.reconcile.resources import CANARY, ServedAssistant
from stationmaster.server.lookups import ABSENT, Absent, Lookups

# A graph's schema is code: it changes with a new process.
SCHEMA_TTL_S = 3600.0
AWAY = (LangGraphError, httpx.HTTPError)


@dataclass
class InProcess:
    """What the handlers know of assistants and threads. It satisfies `stationmaster.server.arms.Server`."""

    assistants: Lookups[ServedAssistant] = field(init=False)
    schemas: Lookups[Mapping[str, Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.assistants = Lookups(self._assistant)
        self.schemas = Lookups(self._schemas, SCHEMA_TTL_S)

    @cached_property
    def _client(self) -> LangGraphClient:
        return get_client(url=None, api_key=None)

    async def assistant(self, assistant_id: str) -> ServedAssistant | None:
        """It as it is now; None if it is not to be had."""
        found = await self._assistant(assistant_id)
        return None if isinstance(found, Absent) else found

    async def last_stamp(self, thread_id: str) -> Mapping[str, Any] | None:
        """The `canary` stamp of the thread's newest run; {} for none, None if it can't be read."""
        try:
            runs = await self._client.runs.list(thread_id, limit=1, select=["run_id", "metadata"])
        except NotFoundError:
            return {}  # the run makes its thread
        except AWAY:
            return None
        stamped = (runs[0].get("metadata") or {}).get(CANARY) if runs else None
        return stamped if isinstance(stamped, Mapping) else {}

    async def message_ids(self, thread_id: str) -> frozenset[str] | None:
        """The ids of the messages in the thread's state; none for a thread that is to be made, None if it can't be
        read."""
        try:
            state = await self._client.threads.get_state(thread_id)
        except NotFoundError:
            return frozenset()
        except AWAY:
            return None
        values = state["values"] if isinstance(state["values"], Mapping) else {}
        return frozenset(str(one["id"]) for one in values.get("messages") or [] if one.get("id"))

    async def _assistant(self, assistant_id: str) -> ServedAssistant | Absent | None:
        try:
            return assistant_from(await self._client.assistants.get(assistant_id))
        except NotFoundError:
            return ABSENT
        except AWAY:
            return None

    async def _schemas(self, assistant_id: str) -> Mapping[str, Any] | None:
        try:
            return {**await self._client.assistants.get_schemas(assistant_id)}
        except AWAY:
            return None

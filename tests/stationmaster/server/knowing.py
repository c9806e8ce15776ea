"""Stands in for the server that the handlers ask: knows the assistants it is told, and what a thread's last run was."""

from collections.abc import Mapping
from typing import Any

from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.server.lookups import Lookups


class Knowing:
    """`known`: assistants by id. `defaults`: of every graph, which takes others too, and wants a text as `tone`.
    `stamps`: the last stamp by thread id.
    """

    def __init__(self, *assistants: ServedAssistant, defaults: dict[str, Any] | None = None) -> None:
        self.known = {each.assistant_id: each for each in assistants}
        self.stamps: dict[str, Mapping[str, Any]] = {}
        self.assistants = Lookups(self._assistant)
        self.schemas = Lookups(self._schemas)
        properties = {key: {"default": value} for key, value in (defaults or {}).items()}
        tone = {"tone": {"type": "string"}}
        self._context = {"properties": {**tone, **properties}, "additionalProperties": True}

    async def last_stamp(self, thread_id: str) -> Mapping[str, Any]:
        return self.stamps.get(thread_id, {})

    async def _assistant(self, assistant_id: str) -> ServedAssistant | None:
        return self.known.get(assistant_id)

    async def _schemas(self, assistant_id: str) -> Mapping[str, Any] | None:
        return {"context_schema": self._context}

"""Stands in for the server that the handlers ask: knows the assistants it is told, and what a thread's last run was."""

from collections.abc import Mapping
from typing import Any

from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.server.lookups import Lookups


class Knowing:
    """`known`: assistants by id. `defaults`: of every graph. `stamps`: the last stamp by thread id."""

    def __init__(self, *assistants: ServedAssistant, defaults: dict[str, Any] | None = None) -> None:
        self.known = {each.assistant_id: each for each in assistants}
        self.stamps: dict[str, Mapping[str, Any]] = {}
        self.assistants = Lookups(self._assistant)
        self.defaults = Lookups(self._defaults)
        self._all_defaults = defaults or {}

    async def last_stamp(self, thread_id: str) -> Mapping[str, Any]:
        return self.stamps.get(thread_id, {})

    async def _assistant(self, assistant_id: str) -> ServedAssistant | None:
        return self.known.get(assistant_id)

    async def _defaults(self, assistant_id: str) -> dict[str, Any] | None:
        return self._all_defaults

"""The one room that speaks to a server, through langgraph-sdk; it pages, writes whole, reads back."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from stationmaster.reconcile.errors import Missing, ServerRefused
from stationmaster.reconcile.gateway.asking import PAGE
from stationmaster.reconcile.gateway.crons import Crons
from stationmaster.reconcile.gateway.writing import WrittenAssistants
from stationmaster.reconcile.reading_back import assistant_from
from stationmaster.reconcile.resources import Server, Work
from stationmaster.reconcile.translating import translated

ABOUT = "/stationmaster/about"
"""Where our handlers say that they are there."""


@dataclass
class Gateway(WrittenAssistants, Crons):
    """A server's assistants and crons. Errors are ReconcileError; a Conflict has written nothing unless it says so."""

    _schemas: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    async def schemas(self, graph: str) -> Mapping[str, Any]:
        """{input_schema, output_schema, state_schema, config_schema, context_schema} of a graph; kept.

        Missing when the server has no such graph.
        """
        if graph not in self._schemas:
            with self._translated():
                found = await self.client.assistants.search(
                    graph_id=graph, metadata={"created_by": "system"}, limit=PAGE
                )
                own = [row for row in map(assistant_from, found) if row.system and row.graph == graph]
                if not own:
                    raise Missing(f"the server has no graph {graph}: name one that langgraph.json has", 404)
                schemas = await self.client.assistants.get_schemas(own[0].assistant_id)
            self._schemas[graph] = {**schemas}
        return self._schemas[graph]

    async def server(self) -> Server:
        """Whether Stationmaster's handlers run there, and on which runtime."""
        try:
            with translated(self.url):
                about: Any = await self.client.http.get(ABOUT)
        except ServerRefused:
            return "foreign"
        known = isinstance(about, Mapping) and about.get("stationmaster")
        return ("durable" if about.get("durable") else "stock") if known else "foreign"

    async def work_under(self, assistant_id: str) -> Work:
        """What its threads say: a hint, since some that wait read `error` or `idle`; reviews know better."""
        of: Any = {"assistant_id": assistant_id}
        with self._translated():
            running = await self.client.threads.count(status="busy", metadata=of)
            return Work(running, await self.client.threads.count(status="interrupted", metadata=of))

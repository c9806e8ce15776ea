"""What is learned of the server's assistants: asked for once in a while, since each review needs it."""

import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from stationmaster.reviews.agent_server.translating import NeverArrived, translated
from stationmaster.reviews.asking_as import is_graphs_own
from stationmaster.reviews.errors import AgentServerRefused, AgentServerUnavailable
from stationmaster.reviews.store import is_id

TTL_S = 300.0
SEARCHED = 1000
Known = TypeVar("Known")


@dataclass
class Learning:
    """A server's client, and what its assistants were when they were last asked about."""

    client: LangGraphClient
    url: str
    _kept: dict[tuple[str, str], tuple[float, Any]] = field(default_factory=dict)

    async def assistant(self, assistant_id: str) -> Mapping[str, Any]:
        """{assistant_id, graph_id, name, version, ...} as it is now; {} when it is gone. Kept for a while; that one is
        gone is not, for it may be made again."""

        async def ask() -> Mapping[str, Any]:
            with translated(self.url):
                try:
                    return {**await self.client.assistants.get(assistant_id)}
                except NotFoundError:
                    return {}

        found = await self._remembered("assistant", assistant_id, ask)
        if not found:
            self._kept.pop(("assistant", assistant_id), None)
        return found

    async def assistant_named(self, given: str) -> Mapping[str, Any]:
        """The assistant with this id, or the one with this name; {} if there is none, or several. One that was made
        counts before the one that the server makes for a graph, which may have the same name."""
        if is_id(given):
            return await self.assistant(given)
        with translated(self.url):
            found: Any = await self.client.assistants.search(name=given, limit=SEARCHED)
        exact = [one for one in found if one["name"] == given]
        made = [one for one in exact if not is_graphs_own(one["graph_id"], one["assistant_id"])] or exact
        return made[0] if len(made) == 1 else {}

    async def state_keys(self, assistant_id: str) -> frozenset[str]:
        """The keys of the state of the assistant's graph. Kept for a while; empty when the server can't say."""

        async def ask() -> frozenset[str]:
            with translated(self.url):
                try:
                    schemas = await self.client.assistants.get_schemas(assistant_id)
                except NotFoundError:
                    return frozenset()
            return frozenset((schemas.get("state_schema") or {}).get("properties") or ())

        return await self._remembered("state keys", assistant_id, ask)

    async def node_ids(self, assistant_id: str) -> tuple[str, ...]:
        """The ids of the graph's nodes, those of subgraphs as `outer:inner`; kept for a while.

        Empty when the server can't draw the graph: a question is answerable without.
        """
        return tuple(await self.nodes(assistant_id))

    async def nodes(self, assistant_id: str) -> Mapping[str, str]:
        """By the same ids what each node does to the world, as the graph declares it (`metadata={"effect": ...}`); ""
        where it says nothing."""

        async def ask() -> Mapping[str, str]:
            try:
                with translated(self.url):
                    drawn: Any = await self.client.assistants.get_graph(assistant_id, xray=True)
            except NeverArrived:
                raise
            except (AgentServerRefused, AgentServerUnavailable):
                return {}
            return {str(node["id"]): _effect(node) for node in drawn.get("nodes") or ()}

        return await self._remembered("nodes", assistant_id, ask)

    async def _remembered(self, what: str, assistant_id: str, ask: Callable[[], Awaitable[Known]]) -> Known:
        kept = self._kept.get((what, assistant_id))
        if kept and kept[0] > time.monotonic():
            return kept[1]
        found = await ask()
        self._kept[what, assistant_id] = (time.monotonic() + TTL_S, found)
        return found


def _effect(node: Mapping[str, Any]) -> str:
    said = node.get("metadata")
    effect = said.get("effect") if isinstance(said, Mapping) else None
    return effect if isinstance(effect, str) else ""

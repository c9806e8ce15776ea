"""What a graph's nodes do to the world, as it declares with `add_node(..., metadata={"effect": "..."})`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.translating import translated

KEY = "effect"
"""In a node's metadata: what running it does, in a few words; an empty text: nothing."""


@dataclass(frozen=True)
class Effects:
    """`by_node`: of each node that has an effect, what it does. `declared`: False where no node of the graph says
    anything, so that nothing can be concluded."""

    by_node: Mapping[str, str]
    declared: bool

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(self.by_node)


async def effects_of(gateway: Gateway, assistant_id: str) -> Effects:
    """What the graph of an assistant declares, nodes in its own order."""
    with translated(gateway.url):
        graph: Any = await gateway.client.assistants.get_graph(assistant_id)
    return declared(graph.get("nodes") or () if isinstance(graph, Mapping) else ())


def declared(nodes: Sequence[Mapping[str, Any]]) -> Effects:
    """The same, from the nodes of a graph's JSON. Pure."""
    said = {str(node.get("id")): _effect(node) for node in nodes}
    known = {node: effect for node, effect in said.items() if effect is not None}
    return Effects({node: effect for node, effect in known.items() if effect}, bool(known))


def _effect(node: Mapping[str, Any]) -> str | None:
    metadata = node.get("metadata")
    effect = metadata.get(KEY) if isinstance(metadata, Mapping) else None
    return effect if isinstance(effect, str) else None

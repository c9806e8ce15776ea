"""Whether a graph would run with an assistant's settings: asked before they get any thread."""

from stationmaster.assistants.overlay import Unfit, defaults_of, overlay, schema_of
from stationmaster.reconcile.files.contexts import wrong_in
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant, ServedAssistant


async def require_runnable(gateway: Gateway, content: Assistant, origin: str) -> None:
    """Unfit, named `origin`, for settings that the graph's schema refuses: else every run would fail."""
    schema = schema_of(await gateway.schemas(content.graph)) or {}
    for _, said in wrong_in(content.context, schema, content.graph):
        raise Unfit(f"{origin} can't be run: {said}")


async def require_arm(gateway: Gateway, live: ServedAssistant, other: ServedAssistant, named: str) -> None:
    """Unfit, too, where the other's settings can't take the place of the live one's."""
    overlay(live, other, defaults_of(await gateway.schemas(live.graph)))
    await require_runnable(gateway, other.content(), named)

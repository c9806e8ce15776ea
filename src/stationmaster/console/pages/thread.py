"""The thread as it is now: read from the Agent Server when somebody looks, and never in the way of the question."""

from dataclasses import dataclass
from typing import Any

from stationmaster.console.pages.shown import Shown, folded, shown
from stationmaster.reviews import agent_server
from stationmaster.reviews.errors import AgentServerRefused, AgentServerUnavailable
from stationmaster.reviews.lifecycle import target
from stationmaster.reviews.model import Gone
from stationmaster.settings import Settings

LAST_MESSAGES = 12


@dataclass(frozen=True)
class Thread:
    """Messages and state of a thread, or why they can't be shown."""

    messages: Shown | None = None
    earlier: int = 0
    state: Shown | None = None
    status: str = ""
    problem: str = ""


async def look(settings: Settings, thread_id: str) -> Thread:
    """One look. A server that does not answer is told, not raised: the question itself is stored here."""
    try:
        async with agent_server.connect(*target(settings)) as server:
            found = await server.read(thread_id)
    except (AgentServerUnavailable, AgentServerRefused) as error:
        return Thread(problem=str(error))
    if isinstance(found, Gone):
        return Thread(problem="The thread is no longer there.")
    return of_state(found.checkpoint.values, found.status)


def of_state(values: Any, status: str = "") -> Thread:
    """The newest messages as a conversation, the rest of the state in pairs, large things folded."""
    if not isinstance(values, dict):
        return Thread(state=folded(values), status=status)
    messages = values.get("messages")
    told = messages[-LAST_MESSAGES:] if isinstance(messages, list) else []
    conversation = shown(told) if told else None
    if conversation is not None and conversation.kind != "messages":
        conversation = None
    rest = {key: value for key, value in values.items() if key != "messages" or conversation is None}
    return Thread(
        conversation, len(messages) - len(told) if conversation and isinstance(messages, list) else 0,
        shown(rest) if rest else None, status,
    )  # fmt: skip

"""The thread as it is now: read from the Agent Server when somebody looks, and never in the way of the question."""

from dataclasses import dataclass
from typing import Any

from stationmaster.console.pages.shown import Shown, folded, shown
from stationmaster.reviews import agent_server, results
from stationmaster.reviews.errors import AgentServerRefused, AgentServerUnavailable
from stationmaster.reviews.lifecycle import target
from stationmaster.reviews.model import Gone, Review
from stationmaster.settings import Settings

LAST_MESSAGES = 12
SMALL, SMALL_TEXT = 6, 500
"""Members of an object that is shown unfolded, and their characters."""


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


@dataclass(frozen=True)
class CameOfIt:
    """What the run wrote that carried an answer: what it said, what is short of the rest, and the rest."""

    messages: Shown | None = None
    short: Shown | None = None
    rest: Shown | None = None
    problem: str = ""


async def came_of(server: agent_server.AgentServer, review: Review) -> CameOfIt:
    """One look, as above."""
    try:
        return of_result(await results.result_of(server, review))
    except (AgentServerUnavailable, AgentServerRefused) as error:
        return CameOfIt(problem=str(error))


def of_result(result: results.Result) -> CameOfIt:
    """Empty keys say nothing. What is short stands in sight, and so do small objects of such; the rest is folded."""
    said = shown(list(result.messages)) if result.messages else None
    told = said is not None and said.kind == "messages"
    changed = {key: value for key, value in result.changed.items() if not _is_empty(value)}
    short = {key: value for key, value in changed.items() if _is_short(shown(value, key))}
    rest = {key: value for key, value in changed.items() if key not in short}
    if result.messages and not told:
        rest = {results.MESSAGES: list(result.messages), **rest}
    return CameOfIt(said if told else None, shown(short) if short else None, shown(rest) if rest else None)


def _is_short(value: Shown) -> bool:
    if value.kind == "pairs":
        parts = [pair.shown for pair in value.items]
        flat = all(part.kind in ("scalar", "text") for part in parts)
        return flat and len(parts) <= SMALL and sum(len(part.text) for part in parts) <= SMALL_TEXT
    return not value.wide


def _is_empty(value: Any) -> bool:
    return value is None or value == "" or value == [] or value == {}


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

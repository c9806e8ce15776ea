"""Telling people: the support desk by mail, operators by a dead letter; each once for a request of a thread."""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import HumanMessage

from agents.helpdesk.state import Failure
from agents.shared.shop import dead_letters, mail

LONGEST_QUOTE = 2_000


def _key(state: Mapping[str, Any], effect: str) -> str:
    return f"helpdesk-{effect}:{state.get('ticket_id', '')}:{state.get('turns', 1)}"


async def tell_desk(state: Mapping[str, Any], why: str) -> bool:
    """Mail the desk that a person is wanted; False when it was told about this request before."""
    ticket_id = state.get("ticket_id", "")
    said = (message.text for message in reversed(state["messages"]) if isinstance(message, HumanMessage))
    return await mail.queue_mail(
        key=_key(state, "desk"),
        ticket_id=ticket_id,
        to=mail.SUPPORT_DESK,
        subject=f"Ticket {ticket_id}: a person is wanted",
        body=f"Why: {why}\n\nThe customer wrote:\n{next(said, '')[:LONGEST_QUOTE]}",
    )


async def bury(state: Mapping[str, Any], failures: list[Failure], thread_id: str) -> bool:
    """Keep what could not be done where operators look for it."""
    return await dead_letters.bury(
        key=_key(state, "dead-letter"),
        graph="helpdesk",
        node=failures[0]["tool"],
        ticket_id=state.get("ticket_id", ""),
        thread_id=thread_id,
        reason="; ".join(f"{failure['tool']}: {failure['reason']}" for failure in failures),
        detail={"turns": state.get("turns", 1), "orders": sorted(state.get("orders", {}))},
    )

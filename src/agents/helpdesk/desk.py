"""Telling people: the support desk by mail, operators by a dead letter; each once for a request of a thread."""

from collections.abc import Mapping
from typing import Any

from langchain_core.messages import HumanMessage
from langchain_core.runnables import RunnableConfig

from agents.helpdesk.state import Failure
from agents.shared.callers import caller_of
from agents.shared.shop import dead_letters, mail
from agents.shared.thread_tenants import tenant_of

LONGEST_QUOTE = 2_000


async def tell_desk(state: Mapping[str, Any], config: RunnableConfig, why: str) -> bool:
    """Mail the desk that a person is wanted; False when it was told about this request before."""
    ticket_id, (tenant, key) = state.get("ticket_id", ""), await _of_request(state, config)
    said = (message.text for message in reversed(state["messages"]) if isinstance(message, HumanMessage))
    return await mail.queue_mail(
        tenant=tenant,
        key=f"helpdesk-desk:{key}",
        ticket_id=ticket_id,
        to=mail.SUPPORT_DESK,
        subject=f"Ticket {ticket_id}: a person is wanted",
        body=f"Why: {why}\n\nThe customer wrote:\n{next(said, '')[:LONGEST_QUOTE]}",
    )


async def bury(state: Mapping[str, Any], failures: list[Failure], config: RunnableConfig) -> bool:
    """Keep what could not be done where operators look for it."""
    tenant, key = await _of_request(state, config)
    return await dead_letters.bury(
        tenant=tenant,
        key=f"helpdesk-dead-letter:{key}",
        graph="helpdesk",
        node=failures[0]["tool"],
        ticket_id=state.get("ticket_id", ""),
        thread_id=_thread_id(config),
        reason="; ".join(f"{failure['tool']}: {failure['reason']}" for failure in failures),
        detail={"turns": state.get("turns", 1), "orders": sorted(state.get("orders", {}))},
    )


async def _of_request(state: Mapping[str, Any], config: RunnableConfig) -> tuple[str, str]:
    """(whose it is, what names it): a ticket's id is the caller's to choose, and two threads may have the same."""
    thread_id = _thread_id(config)
    tenant = await tenant_of(caller_of(config), thread_id)
    return tenant, f"{tenant}:{thread_id}:{state.get('turns', 1)}"


def _thread_id(config: RunnableConfig) -> str:
    return str(config.get("configurable", {}).get("thread_id") or "")

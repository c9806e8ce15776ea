"""Sends one ticket through the Agent Server, as a client app would, and answers it if it waits."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import httpx
from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import APIError
from langgraph_sdk.schema import StreamMode

from stationmaster.client import NoLiveAssistant, resolve
from stationmaster.demo.answering import Answering, Given
from stationmaster.demo.tickets import Ticket
from stationmaster.errors import StationmasterError

GRAPH = "support"


async def assistant_of(client: LangGraphClient) -> str:
    """What tickets are sent to: the live assistant `support`, as by a client app; the graph where there is none."""
    try:
        return (await resolve(client, GRAPH)).assistant_id
    except NoLiveAssistant:
        return GRAPH


class DemoError(StationmasterError):
    """The server did something that the demonstration can't go on from."""


@dataclass
class Result:
    """What became of a ticket. `nodes` are those that ran, in order, as the stream told; `assistant` is an id or a
    graph."""

    ticket: str
    thread_id: str
    intent: str | None = None
    outcome: str | None = None
    waited: bool = False
    answered_by: str | None = None
    amount_usd: float = 0.0
    degraded: list[str] = field(default_factory=list)
    nodes: list[str] = field(default_factory=list)
    reply: str = ""
    wrong: list[str] = field(default_factory=list)
    assistant: str = GRAPH

    @property
    def ok(self) -> bool:
        return not self.wrong


Listener = Callable[[str, Any], None]
"""Is told what streams in: ("node", name), ("token", text), ("waiting", payload), ("yours", URL of the review),
("answered", what and by whom), ("sent", the reply after a person's answer)."""


async def run_ticket(
    client: LangGraphClient,
    ticket: Ticket,
    ticket_id: str,
    tell: Listener,
    answering: Answering | None = None,
    *,
    assistant: str = GRAPH,
) -> Result:
    """Stream the ticket to `assistant` (an id, or a graph); if it waits for a person, have it answered (None:
    directly); read the end back.

    Raises DemoError when the server goes away meanwhile, refuses, or fails the run.
    """
    try:
        return await _run_ticket(client, ticket, ticket_id, tell, answering, assistant)
    except (httpx.TransportError, APIError) as error:
        raise DemoError(
            f"the server went away during ticket {ticket.name} ({error}): look at its log, start it and try again"
        ) from None


async def _run_ticket(
    client: LangGraphClient,
    ticket: Ticket,
    ticket_id: str,
    tell: Listener,
    answering: Answering | None,
    assistant: str,
) -> Result:
    thread = await client.threads.create(metadata={"ticket_id": ticket_id})
    result = Result(ticket=ticket.name, thread_id=thread["thread_id"], assistant=assistant)
    message = {"role": "user", "content": ticket.text}
    await _stream(client, result, tell, input={"ticket_id": ticket_id, "messages": [message]})
    state = await client.threads.get_state(result.thread_id)
    while state["interrupts"]:  # an answer that can't be carried out is asked for again
        result.waited = True
        question = state["interrupts"][0]
        tell("waiting", question["value"])
        if answering is None:
            given = await _directly(client, result, question["id"], tell)
        else:
            given = await answering(client, result.thread_id, {**question}, tell)
            tell("answered", f"{given.decision} by {given.by}, through the review service")
            result.nodes += given.nodes
            for node in given.nodes:
                tell("node", node)
        result.answered_by, decision = given.by, given.decision
        if decision != "approve":
            ticket = ticket.decided_otherwise()
        state = await client.threads.get_state(result.thread_id)
    _read(result, state["values"])
    if result.waited:
        tell("sent", result.reply)
    result.wrong = _differences(result, ticket)
    return result


async def _directly(client: LangGraphClient, result: Result, interrupt_id: str, tell: Listener) -> Given:
    """Approved by the SDK alone, as a client app without a review service would."""
    tell("answered", "approve, directly: no console runs beside this server")
    # By id, never a bare value: a bare one answers whatever happens to be pending.
    await _stream(client, result, tell, command={"resume": {interrupt_id: {"action": "approve"}}})
    return Given("demo", "approve", [])


async def _stream(client: LangGraphClient, result: Result, tell: Listener, **what: Any) -> None:
    modes: list[StreamMode] = ["updates", "messages-tuple"]
    stream = client.runs.stream(
        result.thread_id, result.assistant, stream_mode=modes, stream_resumable=True, **what
    )
    async for part in stream:
        if part.event == "updates":
            for node in part.data:
                if node != "__interrupt__":
                    result.nodes.append(node)
                    tell("node", node)
        elif part.event == "messages":
            message, metadata = part.data
            if metadata.get("langgraph_node") == "draft_reply":
                tell("token", message.get("content") or "")
        elif part.event == "error":
            raise DemoError(f"ticket {result.ticket} failed on the server: {part.data}; see the server's log")


def _read(result: Result, values: Any) -> None:
    decision = values.get("decision") or {}
    result.intent = values.get("intent")
    result.outcome = values.get("outcome")
    result.degraded = values.get("degraded") or []
    result.amount_usd = decision.get("amount_usd", 0.0) if decision.get("status") == "paid" else 0.0
    result.reply = values["messages"][-1].get("content", "") if values.get("messages") else ""


def _differences(result: Result, ticket: Ticket) -> list[str]:
    pairs: dict[str, tuple[object, object]] = {
        "intent": (result.intent, ticket.intent),
        "waited": (result.waited, ticket.waits),
    }
    if not ticket.open_ended:
        pairs["outcome"] = (result.outcome, ticket.outcome)
        pairs["refunded USD"] = (result.amount_usd, ticket.refund_usd)
    return [
        f"{name} is {found}, expected {wanted}" for name, (found, wanted) in pairs.items() if found != wanted
    ]

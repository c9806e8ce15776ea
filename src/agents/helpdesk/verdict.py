"""What a request came to: pure, from state alone."""

from collections.abc import Mapping
from typing import Any

from agents.helpdesk.calls import newest_answer, of_request
from agents.helpdesk.guard import objections
from agents.helpdesk.state import Final, Status
from agents.shared.shop.mail import SUPPORT_DESK

CLOSED = (
    "Thank you for your patience. This conversation has reached the limit of what I can handle here, so a colleague "
    "takes over: please write to {desk} and mention {ticket_id}."
)
HANDED_OVER = (
    "A colleague takes over and will get back to you. {desk} has your request under ticket {ticket_id}."
)
PAID = " We have refunded {amounts}."


def final_of(state: Mapping[str, Any]) -> tuple[Final, list[str]]:
    """The structured answer, and what the guardrail objected to in the model's reply.

    What was done counts, not what the model says of it: money that went back makes it refunded, and a person who was
    asked for, a stop, a failure or an objection hands it over.
    """
    resolution: Mapping[str, Any] = state.get("structured_response") or {}
    receipts = state.get("receipts", [])
    reply = str(resolution.get("reply") or _said(state)).strip()
    guarded = objections(reply, state["messages"], state) if reply else []
    why = _why(state, resolution, reply, guarded)
    if why:
        reply = _handed_over(state, "" if guarded else reply)
    final: Final = {
        "status": "handed_over" if why else _status(resolution, receipts),
        "reply": reply,
        "order_id": resolution.get("order_id") or (receipts[0]["order_id"] if receipts else None),
        "refunded_usd": round(sum(paid["amount_usd"] for paid in receipts), 2),
        "handed_over": bool(why),
        "why": why,
    }
    return final, guarded


def _handed_over(state: Mapping[str, Any], reply: str) -> str:
    """What a customer reads whose request a person has: the reply that may be sent, if any, and where it is now."""
    receipts = state.get("receipts", [])
    amounts = " and ".join(f"${paid['amount_usd']:.2f} for order {paid['order_id']}" for paid in receipts)
    template = HANDED_OVER + (PAID if receipts and not reply else "")
    told = template.format(desk=SUPPORT_DESK, ticket_id=state.get("ticket_id", ""), amounts=amounts)
    return f"{reply}\n\n{told}" if reply else told


def closed(ticket_id: str, why: str) -> Final:
    """The answer on a thread that has reached a limit."""
    reply = CLOSED.format(desk=SUPPORT_DESK, ticket_id=ticket_id)
    return Final(status="closed", reply=reply, order_id=None, refunded_usd=0.0, handed_over=False, why=why)


def _why(state: Mapping[str, Any], resolution: Mapping[str, Any], reply: str, guarded: list[str]) -> str:
    """Why a person has it; empty when none needs to."""
    failed = [f"{failure['tool']} could not be done" for failure in state.get("failures", [])]
    reasons = [
        *state.get("escalations", []),
        *filter(None, [state.get("stopped")]),
        *failed,
        *(f"the reply was held back: {objection}" for objection in guarded),
    ]
    if not reasons and resolution.get("status") == "handed_over":
        reasons.append("the agent could not help")
    if not reasons and not reply:
        reasons.append("the agent gave no answer")
    return "; ".join(reasons)


def _status(resolution: Mapping[str, Any], receipts: list[Any]) -> Status:
    if receipts:
        return "refunded"
    # A model that says refunded, and nothing was: the guardrail has judged its words; the status is not its to give.
    return "declined" if resolution.get("status") == "declined" else "answered"


def _said(state: Mapping[str, Any]) -> str:
    """A model that ends in text instead of calling Resolution has answered, too."""
    newest = newest_answer(of_request(state["messages"]))
    return newest.text if newest is not None and not newest.tool_calls else ""

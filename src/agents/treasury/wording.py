"""What requesters, officers and the compliance desk read: facts from state, never a model's words."""

from typing import Any

from agents.treasury.state import Proposal, State, Verdict

COMPLIANCE_DESK = "compliance@shop.example"


def in_words(proposal: Proposal) -> str:
    """The proposal in one line."""
    if proposal["kind"] == "trade":
        return f"{proposal['side']} {proposal['quantity']:,} {proposal['symbol']}"
    return (
        f"${proposal['amount_usd']:,.2f} to {proposal['beneficiary']}, account {proposal['account']}, "
        f"reference {proposal['reference']}"
    )


def officer_question(state: State, proposal: Proposal, verdict: Verdict, *, changed: bool) -> dict[str, Any]:
    """The payload at the gate: what is asked, what was checked, who has signed, what either answer does. From state
    alone, so that each re-run asks the same."""
    amount, what = verdict["amount_usd"], in_words(proposal)
    missing = verdict["signatures_needed"] - len(state.signatures)
    last = (
        "It is carried out at once and can't be undone." if missing == 1 else "Somebody else signs after you."
    )
    problem = "it was changed since it was checked: your answer has it checked anew" if changed else None
    return {
        "kind": f"{proposal['kind']}_approval",
        "title": f"Sign ${amount:,.2f}: {what}?" if proposal["kind"] == "trade" else f"Sign {what}?",
        "amount_usd": amount,
        "transaction": dict(proposal),
        "requested_by": verdict["requested_by"],
        "requester_wrote": last_words(state),
        "checks": verdict["notes"],
        "risk": state.risk,
        "signatures_needed": verdict["signatures_needed"],
        "signed_by": list(state.signatures),
        "clarifications": [dict(said) for said in state.clarifications],
        "on_approve": f"You sign for exactly this. {last}",
        "on_reject": "Nothing is paid; the requester reads your reason.",
        "on_ask": "The requester reads your question; with the answer it is checked and asked here again.",
        "attempt": state.attempts + 1,
        "problem": problem or state.problem,
    }


def requester_question(state: State, proposal: Proposal, question: str) -> dict[str, Any]:
    """The payload for the requester."""
    return {
        "kind": "requester_question",
        "title": "Compliance asks about your request",
        "question": question,
        "about": in_words(proposal),
        "asked_before": [dict(said) for said in state.clarifications[:-1]],
        "on_answer": "It is checked again and goes back to compliance with what you say.",
        "on_withdraw": "Nothing is paid.",
    }


def reply(state: State) -> str:
    """How the request ended, for the requester."""
    what = in_words(state.proposal) if state.proposal else "your request"
    why = f" {_sentence(state.problem)}" if state.problem else ""
    match state.outcome:
        case "executed":
            signed = f", signed by {' and '.join(state.signatures)}" if state.signatures else ""
            return f"Done: {what}{signed}. The bank's reference is {state.bank_reference}."
        case "rejected":
            return f"Not done: {what}. Compliance says: {state.reject_reason}"
        case "withdrawn":
            return f"Withdrawn: {what}. Nothing was paid."
        case "incomplete":
            return state.problem or "I could not read the request."
        case "sanctioned" | "held":
            return f"Not done: {what}. It is with compliance, who will come back to you."
        case "dead_letter":
            return f"I could not finish this: {what}. A colleague looks into it; please don't send it again."
        case "closed":
            return f"This conversation has reached its limit.{why} Please begin a new one."
        case _:
            return f"Not done: {what}.{why}"


def alert(state: State) -> tuple[str, str]:
    """Subject and body of the mail to compliance about a payee on a list."""
    what = in_words(state.proposal) if state.proposal else "a request"
    subject = f"[{state.outcome}] a payment was stopped"
    return subject, f"Stopped: {what}.\n\n{_sentence(state.problem)}\n\nRequested by {_requester(state)}."


def last_words(state: State) -> str:
    """What the requester wrote last, cut where it is too long to be read."""
    said = next((message.text for message in reversed(state.messages) if message.type == "human"), "")
    return said if len(said) <= 2_000 else said[:1_999] + "…"


def _requester(state: State) -> str:
    return state.verdict["requested_by"] if state.verdict else "somebody whose request went no further"


def _sentence(text: str | None) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}." if text else ""

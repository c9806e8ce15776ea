"""The gate: a person approves, edits or rejects a refund. Nothing with an effect may ever stand in this node."""

from typing import Literal

from langgraph.types import Command

from agents.shared.approvals import Approve, Edit, Reject, ask_person
from agents.support import verdict
from agents.support.context import MAX_ANSWERS
from agents.support.questions import refund_question
from agents.support.state import State, Update, one_more


async def approve(state: State) -> Command[Literal["approve", "draft_reply", "refund", "dead_letter"]]:
    """The gate: a person approves, edits or rejects. Nothing with an effect may ever stand in this node."""
    decision, order = state.get("decision"), state.get("order")
    if decision is None or order is None:
        raise ValueError("approve needs a decision and an order; `assess` sets both")
    match ask_person(refund_question(state, decision, order)):
        case Approve():
            return Command(
                goto="refund", update={"decision": {**decision, "status": "approved"}, "problem": None}
            )
        case Reject(reason=reason):
            rejected = {**decision, "status": "rejected", "reject_reason": reason}
            update = {"decision": rejected, "outcome": "refund_rejected", "problem": None}
            return Command(goto="draft_reply", update=update)
        case Edit() as edit:
            return _edited(state, edit)


def _edited(state: State, edit: Edit) -> Command[Literal["approve", "draft_reply", "refund", "dead_letter"]]:
    decision, order = state.get("decision"), state.get("order")
    assert decision is not None
    assert order is not None
    amount = decision["amount_usd"] if edit.amount_usd is None else edit.amount_usd
    error = verdict.edit_error(amount, order["refundable_usd"])
    if error:
        attempts = one_more(state, "approve")
        if attempts["approve"] >= MAX_ANSWERS:
            failure = {"node": "approve", "reason": f"{MAX_ANSWERS} answers could not be used; last: {error}"}
            return Command(goto="dead_letter", update={"attempts": attempts, "failures": [failure]})
        problem = {"node": "approve", "error": error, "answer": edit.model_dump_json()}
        return Command(goto="approve", update={"attempts": attempts, "problem": problem})
    update: Update = {"decision": {**decision, "status": "approved", "amount_usd": amount}, "problem": None}
    if edit.reply is not None:
        return Command(goto="refund", update={**update, "draft": edit.reply})
    return Command(goto="draft_reply", update=update)  # the draft names the old amount

"""The gate: a person approves, edits or rejects a refund. Nothing with an effect may ever stand before its question."""

from typing import Literal

from langgraph.errors import GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import Command

from agents.shared.approvals import Approve, Edit, Reject, ask_person
from agents.shared.failures import degraded, failed
from agents.shared.resilience import giving_up
from agents.shared.shop.orders import Order
from agents.support import allowing, verdict
from agents.support.claims import Claim
from agents.support.context import MAX_ANSWERS, Context
from agents.support.questions import refund_question
from agents.support.state import Decision, State, Update, one_more

Way = Literal["approve", "draft_reply", "refund", "dead_letter"]


async def approve(state: State, runtime: Runtime[Context]) -> Command[Way]:
    """Ask, and go on as was answered.

    What is asked is noted when the question is put, and the answer is kept before anything is done about it: see
    allowing.py. Where the state was written over in between, the question is put again, under another id.
    """
    decision, order = state.get("decision"), state.get("order")
    async with giving_up(runtime) as given_up:
        claim = Claim.of(state, runtime)
        assert decision is not None
        assert order is not None
        if not await _is_open(claim):
            return Command()
        return await _ask(claim, decision, order, state, runtime)
    return Command(goto="dead_letter", update=failed("approve", given_up))


async def _is_open(claim: Claim) -> bool:
    """Whether there is anything to ask: whoever goes on at the gate while its question waits has it run twice."""
    return claim.status == "proposed" or (claim.status == "approved" and not await allowing.is_allowed(claim))


async def _ask(
    claim: Claim, decision: Decision, order: Order, state: State, runtime: Runtime[Context]
) -> Command[Way]:
    try:
        answer = ask_person(refund_question(state, decision, order))
    except GraphInterrupt:
        async with giving_up(runtime):  # without a database a person is asked all the same
            if not await allowing.put(state, runtime):
                return Command(goto="approve")
        raise
    if isinstance(answer, Edit) and answer.amount_usd is not None:
        error = verdict.edit_error(answer.amount_usd, order["refundable_usd"])
        if error:
            return _again(state, answer, error)
    async with giving_up(runtime) as given_up:
        if not await allowing.keep(claim, _amount(answer, decision), state, runtime):
            return Command(goto="approve")
    if given_up.reasons and not isinstance(answer, Reject):
        return Command(goto="dead_letter", update=failed("approve", given_up))
    return _decided(answer, decision, degraded("approve", given_up) if given_up.reasons else {})


def _again(state: State, edit: Edit, error: str) -> Command[Way]:
    """Put the question again with what was wrong, until there were too many such answers."""
    attempts = one_more(state, "approve")
    if attempts["approve"] >= MAX_ANSWERS:
        failure = {"node": "approve", "reason": f"{MAX_ANSWERS} answers could not be used; last: {error}"}
        return Command(goto="dead_letter", update={"attempts": attempts, "failures": [failure]})
    problem = {"node": "approve", "error": error, "answer": edit.model_dump_json()}
    return Command(goto="approve", update={"attempts": attempts, "problem": problem})


def _amount(answer: Approve | Edit | Reject, decision: Decision) -> float | None:
    """What the answer allows; None for a no."""
    match answer:
        case Reject():
            return None
        case Edit(amount_usd=float(amount)):
            return amount
        case _:
            return decision["amount_usd"]


def _decided(answer: Approve | Edit | Reject, decision: Decision, update: Update) -> Command[Way]:
    if isinstance(answer, Reject):
        rejected = {**decision, "status": "rejected", "reject_reason": answer.reason}
        update |= {"decision": rejected, "outcome": "refund_rejected", "problem": None}
        return Command(goto="draft_reply", update=update)
    allowed = {**decision, "status": "approved", "amount_usd": _amount(answer, decision)}
    update |= {"decision": allowed, "problem": None}
    if isinstance(answer, Edit) and answer.reply is not None:
        update["draft"] = answer.reply
    elif isinstance(answer, Edit):
        return Command(goto="draft_reply", update=update)  # the draft names the old amount
    return Command(goto="refund", update=update)

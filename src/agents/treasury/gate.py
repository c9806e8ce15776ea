"""The gate: whoever may sign approves, rejects or asks. Nothing with an effect may ever stand in this node.

What decides whether it pauses (how many signatures are needed, how many there are) was checkpointed before it and is
never computed here; and were it written over, the book still begins nothing without signatures.
"""

from typing import Any, Literal

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command

from agents.shared.callers import caller_of
from agents.treasury.approvals import Approve, Ask, Explain, Reject, Withdraw, ask_officer, ask_requester
from agents.treasury.checks import digest_of
from agents.treasury.reading import Incomplete, validated
from agents.treasury.state import MAX_ANSWERS, MAX_QUESTIONS, Answered, State, Update
from agents.treasury.wording import officer_question, requester_question

SAID: Update = {"decided_by": None, "deciders": [], "compliance_note": ""}
"""What stood beside an answer counts for that answer alone."""

Way = Literal["execute", "backfill", "cancel", "ask_requester", "check", "gate", "dead_letter"]


async def gate(state: State, config: RunnableConfig) -> Command[Way]:
    """Pause while signatures are missing."""
    proposal, verdict = state.proposal, state.verdict
    if proposal is None or verdict is None:
        raise ValueError("the gate needs a proposal and a verdict; `check` sets both")
    if len(state.signatures) >= verdict["signatures_needed"]:
        return Command(goto="execute", update={"problem": None})
    changed = digest_of(proposal, verdict["amount_usd"]) != verdict["digest"]
    decision = ask_officer(officer_question(state, proposal, verdict, changed=changed))
    answered = answered_by(state, config)
    if (
        changed
    ):  # by an update beside the answer: whoever changed it asks for it now, and the answer was for another
        return Command(goto="check", update={**SAID, "answered": answered, "problem": None})
    match decision:
        case Approve():
            return Command(goto="backfill", update={**SAID, "answered": answered, "problem": None})
        case Reject(reason=reason):
            update = {**SAID, "reject_reason": reason, "outcome": "rejected", "problem": None}
            return Command(goto="cancel", update=update)
        case Ask(question=question):
            return _asked(state, question)


async def requester(state: State, config: RunnableConfig) -> Command[Literal["check", "cancel"]]:
    """Pause until the requester answers; then everything is checked again."""
    if state.proposal is None or not state.clarifications:
        raise ValueError("there is nothing to ask; the gate sets the question")
    *before, asked = state.clarifications
    answer = ask_requester(requester_question(state, state.proposal, asked["question"]))
    if isinstance(answer, Withdraw):
        return Command(goto="cancel", update={**SAID, "outcome": "withdrawn", "problem": None})
    proposal, problem = state.proposal, None
    try:
        proposal = validated({**proposal, **_corrections(answer)})
    except Incomplete as error:
        problem = str(error)
    update = {
        **SAID,
        "proposal": proposal,
        "clarifications": [*before, {**asked, "answer": answer.text}],
        "answered": answered_by(state, config),
        "problem": problem,
    }
    return Command(goto="check", update=update)


def answered_by(state: State, config: RunnableConfig) -> Answered:
    """Who answered: those whom the caller names, else the caller. `sign` judges whose word is taken."""
    caller = caller_of(config).identity
    named = state.deciders or ([state.decided_by] if state.decided_by else [])
    return {"by": list(dict.fromkeys(named)) or [caller], "caller": caller, "note": state.compliance_note}


def unusable(state: State, problem: str) -> Command[Any]:
    """An answer that came to nothing: asked again with the reason, until there were too many."""
    attempts = state.attempts + 1
    if attempts >= MAX_ANSWERS:
        failure = {"node": "gate", "reason": f"{attempts} answers came to nothing; last: {problem}"}
        return Command(goto="dead_letter", update={**SAID, "failures": [*state.failures, failure]})
    update = {**SAID, "attempts": attempts, "problem": problem, "answered": None}
    return Command(goto="gate", update=update)


def _asked(state: State, question: str) -> Command[Way]:
    if len(state.clarifications) >= MAX_QUESTIONS:
        return unusable(state, f"the requester was asked {MAX_QUESTIONS} times: approve or reject")
    clarifications = [*state.clarifications, {"question": question}]
    return Command(goto="ask_requester", update={**SAID, "clarifications": clarifications, "problem": None})


def _corrections(answer: Explain) -> Update:
    """The values that the requester corrects, as far as the proposal has them."""
    given = {"amount_usd": answer.amount_usd, "reference": answer.reference}
    return {name: value for name, value in given.items() if value is not None}

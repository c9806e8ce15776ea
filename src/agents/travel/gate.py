"""The gate: the traveller says yes, no, or what should be different. Nothing with an effect stands before it.

A yes is a row that is written behind the question, for exactly what was shown, by who may say it. State opens no way:
it may be written by whoever may call the API.
"""

from typing import Any, Literal

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from agents.shared.failures import failed
from agents.shared.resilience import giving_up
from agents.shared.running import caller, tenant_on, thread_id
from agents.travel import inventory
from agents.travel.approvals import Approve, Change, HaveVisa, Reject, ask_hold, ask_visa
from agents.travel.context import MAX_ASKED, Context
from agents.travel.state import UNMET, Offer, State, Update
from agents.travel.wording import hold_question, visa_question

NOBODY = "policy:"
"""How the review service's name begins when a policy's default answers: no person, who could say yes."""

Way = Literal["backfill", "gate", "offer", "intake", "finish", "dead_letter"]


async def gate(state: State, runtime: Runtime[Context]) -> Command[Way]:
    """Ask about the visa where one is needed, then about the trip."""
    offer = state.get("offer")
    if offer is None:
        raise ValueError("the gate needs an offer; `offer` sets it")
    about_visa = offer["visa"] in UNMET and state.get("visa_agreed") != offer["digest"]
    answer = (
        ask_visa(visa_question({**state}, offer)) if about_visa else ask_hold(hold_question({**state}, offer))
    )
    said: Update = {"decided_by": None}
    match answer:
        case Reject(reason=reason):
            why = [HumanMessage(reason)] if reason.strip() else []
            update = {**said, "outcome": "declined", "problem": None, "messages": why}
            return Command(goto="finish", update=update)
        case Change(text=text):
            return Command(goto="intake", update={**said, "messages": [HumanMessage(text)]})
        case Approve() | HaveVisa():
            async with giving_up(runtime) as given_up:
                try:
                    await _agreed(state, offer, runtime, about_visa=about_visa)
                except inventory.NotAgreed as error:
                    return asked_again(state, str(error))
                if about_visa:
                    update = {**said, "visa_agreed": offer["digest"], "problem": None}
                    return Command(goto="gate", update=update)
                return Command(goto="backfill", update={**said, "problem": None})
            return Command(goto="dead_letter", update={**said, **failed("gate", given_up)})


def asked_again(state: State, problem: str) -> Command[Any]:
    """It is priced anew and asked again, with what was wrong, until that was so too often."""
    asked = state.get("asked", 0) + 1
    said: Update = {"decided_by": None, "asked": asked, "problem": problem}
    if asked >= MAX_ASKED:
        stopped = f"{asked} questions came to nothing; the last: {problem}"
        return Command(goto="finish", update={**said, "outcome": "stopped", "stopped": stopped})
    return Command(goto="offer", update=said)


async def _agreed(state: State, offer: Offer, runtime: Runtime[Context], *, about_visa: bool) -> None:
    decided_by = state.get("decided_by")
    if decided_by and decided_by.startswith(NOBODY):
        raise inventory.NotAgreed(
            "nobody answered in time, and a policy's default is no yes: the traveller decides"
        )
    kind = "visa" if about_visa else "hold"
    tenant, thread = await tenant_on(runtime), thread_id(runtime)
    await inventory.agree(tenant, thread, offer, kind, caller().identity, decided_by)

"""The nodes behind the gate: whoever may signs, the money moves once, and what became of it is told.

Each has one effect and does nothing else.
"""

from typing import Literal

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime
from langgraph.types import Command

from agents.shared.errors import in_full
from agents.shared.failures import buried
from agents.shared.payments import PaymentRefused, PaymentUnavailable
from agents.shared.payments.wire import NoVerdict
from agents.shared.resilience import BreakerOpen, giving_up
from agents.shared.running import thread_id
from agents.treasury import book, tools, wording
from agents.treasury.context import Context
from agents.treasury.gate import unusable
from agents.treasury.nodes import added, caller_on, degraded, failed
from agents.treasury.state import State, Update


async def sign(state: State, runtime: Runtime[Context]) -> Command[Literal["gate", "dead_letter"]]:
    """Write the signatures that the answer stands for; the gate counts them."""
    answered, verdict = state.answered, state.verdict
    if answered is None or verdict is None:
        raise ValueError("there is nothing to sign; the gate sets the answer")
    async with giving_up(runtime) as given_up:
        caller = await caller_on(runtime)
        entered = await book.find(caller.tenant, verdict["key"])
        if entered.requested_by != verdict["requested_by"]:  # written over: not what the signer has to read
            asked_again = unusable(
                state, f"{entered.requested_by} asked for it, and not {verdict['requested_by']}: answer again"
            )
            right = {**verdict, "requested_by": entered.requested_by}
            return Command(goto=asked_again.goto, update={**_of(asked_again), "verdict": right})
        refused = await tools.sign(caller, state, answered)
        signed = await book.signers(caller.tenant, verdict["key"])
        if refused and len(signed) < verdict["signatures_needed"]:
            asked_again = unusable(state, "; ".join(refused))
            return Command(goto=asked_again.goto, update={**_of(asked_again), "signatures": signed})
        return Command(goto="gate", update={"signatures": signed, "answered": None, "problem": None})
    return Command(goto="dead_letter", update=failed(state, "sign", given_up))


async def execute(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["reply", "alert", "gate", "dead_letter"]]:
    """Carry it out, once by its key, after a last look at what may have changed while people decided."""
    verdict = state.verdict
    if verdict is None:
        raise ValueError("there is nothing to execute; `check` sets the verdict")
    runtime.stream_writer({"progress": "carrying it out"})
    async with giving_up(runtime, tried_enough=(PaymentUnavailable,)) as given_up:
        tenant = (await caller_on(runtime)).tenant
        try:
            begun = await book.begin(tenant, verdict["key"])
        except book.Unsigned as error:
            return await _back_to_gate(state, tenant, str(error))
        if isinstance(begun, book.Stopped):
            stopped = {"outcome": begun.outcome, "problem": begun.why}
            listed = begun.outcome in ("sanctioned", "held")
            return Command(goto="alert" if listed else "reply", update=stopped)
        reference = begun.bank_reference or await _carried_out(state, tenant, begun)
        return Command(
            goto="reply", update={"bank_reference": reference, "outcome": "executed", "problem": None}
        )
    return Command(goto="dead_letter", update=failed(state, "execute", given_up))


async def cancel(state: State, runtime: Runtime[Context]) -> Update:
    """Nobody waits for it any more: the reference is free again."""
    why = state.reject_reason or state.problem or (state.outcome or "cancelled").replace("_", " ")
    async with giving_up(runtime) as given_up:
        tenant = (await caller_on(runtime)).tenant
        if state.verdict is None:  # what an earlier request left waiting: its question is gone
            await book.cancel_waiting(tenant, thread_id(runtime), "another request came")
        else:
            await book.cancel(tenant, state.verdict["key"], why)
        return {}
    return degraded(state, "cancel", given_up)


async def alert(state: State, runtime: Runtime[Context]) -> Update:
    """Tell the compliance desk of a payee who is on a list, or may be."""
    async with giving_up(runtime) as given_up:
        await tools.tell_compliance(await caller_on(runtime), state, thread_id(runtime))
        return {}
    return failed(state, "alert", given_up)


async def dead_letter(state: State, runtime: Runtime[Context]) -> Update:
    """Keep what could not be handled where operators look for it."""
    detail = {
        "proposal": dict(state.proposal) if state.proposal else None,
        "key": state.verdict["key"] if state.verdict else None,
    }
    kept = await buried(
        runtime,
        state.failures,
        graph="treasury",
        request=str(state.turns),
        ticket_id=tools.request_of(state, thread_id(runtime)),
        detail=detail,
    )
    return {**added(state, kept), "outcome": "dead_letter"}


async def reply(state: State) -> Update:
    """Say how it ended."""
    return {"messages": [AIMessage(wording.reply(state))]}


async def _carried_out(state: State, tenant: str, begun: book.Entered) -> str:
    assert state.verdict is not None
    key = state.verdict["key"]
    try:
        reference = await tools.carry_out(begun, tenant, key)
    except (PaymentUnavailable, NoVerdict) as error:
        if not error.maybe_paid and begun.status == "checked":
            await book.fail(tenant, key, in_full(error))
        raise
    except BreakerOpen as error:
        if begun.status == "checked":  # nobody was asked, now or before
            await book.fail(tenant, key, in_full(error))
        raise
    except PaymentRefused as error:
        await book.fail(tenant, key, in_full(error))
        raise
    await book.finish(tenant, key, reference, state.risk)
    return reference


async def _back_to_gate(
    state: State, tenant: str, why: str
) -> Command[Literal["reply", "alert", "gate", "dead_letter"]]:
    """State said that all had signed, and the book says otherwise: state is put right, and people are asked."""
    assert state.verdict is not None
    key = state.verdict["key"]
    entered = await book.find(tenant, key)
    verdict = {**state.verdict, "signatures_needed": entered.signatures_needed, "digest": entered.digest}
    update = {"verdict": verdict, "signatures": await book.signers(tenant, key)}
    asked_again = unusable(state, f"it lacks signatures, whatever the state says: {why}")
    return Command(goto=asked_again.goto, update={**_of(asked_again), **update})


def _of(command: Command[Literal["gate", "dead_letter"]]) -> Update:
    assert isinstance(command.update, dict)
    return command.update

"""The work before the gate: each function is one node and returns the keys it changes. outcome.py has those behind it.

What a node can't do after its retries is noted in
state and ends in the dead letters; a bug is raised as it is.
"""

from langchain_core.messages import BaseMessage, HumanMessage
from langgraph.runtime import Runtime

from agents.shared import failures, models
from agents.shared.callers import Caller
from agents.shared.limits import add_usage, over_limit
from agents.shared.resilience import GivenUp, giving_up
from agents.shared.running import caller, tenant_on, thread_id
from agents.treasury import book, checks, prompts, tools
from agents.treasury.context import Context
from agents.treasury.reading import Incomplete, Invented, Reading, proposal_of
from agents.treasury.rules import answer as written_rules
from agents.treasury.state import Answered, Proposal, State, Update, Verdict

LONGEST_REQUEST = 10_000
"""Characters of a request that a model reads; nobody needs a tenth of it to say who is paid."""


async def intake(state: State, runtime: Runtime[Context]) -> Update:
    """Open a request: clear what belonged to the one before, count it, check the limits of the thread."""
    thread_id(runtime)
    context, turns = Context.of(runtime), state.turns + 1
    reason = over_limit(
        state.usage, turns=turns, max_turns=context.max_turns, max_cost_usd=context.max_cost_usd
    )
    fresh = State()
    cleared = {name: getattr(fresh, name) for name in State.model_fields if name not in ("messages", "usage")}
    opened = {"turns": turns, "proposal": state.request, "problem": reason}
    return {**cleared, **opened, "outcome": "closed" if reason else None}


async def understand(state: State, runtime: Runtime[Context]) -> Update:
    """Read the request; an answer that can't be used is shown to the model once, with the reason."""
    runtime.stream_writer({"progress": "reading the request"})
    context = Context.of(runtime)
    text = state.messages[-1].text[:LONGEST_REQUEST] if state.messages else ""
    usage, degraded, mend = {}, list(state.degraded), None
    for _ in range(2):
        asked: list[BaseMessage] = [
            prompts.understand(context.system_prompt, mend), HumanMessage(text or "(no message)")
        ]  # fmt: skip
        reply = await models.ask(
            asked, node="understand", models=context.models(), rules=written_rules, schema=Reading
        )
        usage = add_usage(usage, reply.usage)
        degraded += reply.degraded
        update: Update = {"usage": usage, "degraded": degraded}
        if not isinstance(reply.parsed, Reading):
            mend = reply.problem or "the tool Reading was not called"
            continue
        try:
            return {**update, "proposal": proposal_of(reply.parsed, text)}
        except Incomplete as error:
            return {**update, "outcome": "incomplete", "problem": str(error)}
        except Invented as error:
            mend = str(error)
    problem = (
        "I could not read the request with certainty. Please send it as a proposal, or in simpler words."
    )
    degraded.append(f"understand: {mend}")
    return {"usage": usage, "degraded": degraded, "outcome": "incomplete", "problem": problem}


async def check(state: State, runtime: Runtime[Context]) -> Update:
    """Limits, sanctions, duplicates, and who has to sign: decided here, once a revision, and kept."""
    runtime.stream_writer({"progress": "checking limits, sanctions and duplicates"})
    proposal = _proposal(state)
    async with giving_up(runtime) as given_up:
        asking = await caller_on(runtime)
        checked = await _checked(state, proposal, asking, runtime)
        if isinstance(checked, checks.Refused):
            return {"outcome": checked.outcome, "problem": checked.why, "answered": None}
        again = state.verdict is not None and checked["key"] == state.verdict["key"]
        return {
            "verdict": checked,
            "revision": checked["revision"],
            "risk": await checks.risk_of(proposal, checked["amount_usd"], asking.tenant),
            "signatures": state.signatures if again else [],
            "answered": None,
        }
    return failed(state, "check", given_up)


async def record(state: State, runtime: Runtime[Context]) -> Update:
    """Enter it in the book: from here on the same reference is refused elsewhere."""
    proposal, verdict = _proposal(state), state.verdict
    if verdict is None:
        raise ValueError("there is nothing to enter; `check` sets the verdict")
    request = tools.request_of(state, thread_id(runtime))
    async with giving_up(runtime) as given_up:
        try:
            asking = await caller_on(runtime)
            whose = asking.identity
            if asking.identity in (await book.limits(asking.tenant)).inboxes:
                whose = verdict["requested_by"]  # `check` took it from the inbox's word
            whose = await book.enter(asking.tenant, request, proposal, verdict, state.risk, whose)
        except book.Duplicate as error:
            return {"outcome": "duplicate", "problem": str(error)}
        return {"outcome": "waiting", "verdict": {**verdict, "requested_by": whose}}
    return failed(state, "record", given_up)


async def backfill(state: State, runtime: Runtime[Context]) -> Update:
    """Compute what a thread lacks that was paused before there was such a field: the book wants a risk."""
    if state.risk is not None or state.verdict is None:
        return {}
    async with giving_up(runtime) as given_up:
        tenant = (await caller_on(runtime)).tenant
        return {"risk": await checks.risk_of(_proposal(state), state.verdict["amount_usd"], tenant)}
    return degraded(state, "backfill", given_up) | {"risk": 100}


async def caller_on(runtime: Runtime[Context]) -> Caller:
    """Whose key the run came with, and whose rows it works on: the inbox acts for the tenant that began the thread.

    Raises OtherTenant and DatabaseUnavailable: call it where they are given up on.
    """
    return Caller(caller().identity, await tenant_on(runtime))


def degraded(state: State, node: str, given_up: GivenUp) -> Update:
    """What the caller is told of work that could not be done; with what was told before, for want of a reducer."""
    return added(state, failures.degraded(node, given_up))


def failed(state: State, node: str, given_up: GivenUp) -> Update:
    """The same, for work without which the request can't go on."""
    return added(state, failures.failed(node, given_up))


def added(state: State, more: Update) -> Update:
    """Lists in state with more at their ends."""
    return {name: [*getattr(state, name), *new] for name, new in more.items()}


async def _checked(
    state: State, proposal: Proposal, caller: Caller, runtime: Runtime[Context]
) -> Verdict | checks.Refused:
    """The verdict; under a new revision where it is about anything else than the one before."""
    thread, before = thread_id(runtime), state.verdict
    revision = max(state.revision, 1)
    inboxes = (await book.limits(caller.tenant)).inboxes
    asks = _asks(state.answered, caller, inboxes)
    asked = checks.Asked(caller.tenant, thread, tools.request_of(state, thread), revision, asks)
    checked = await checks.check(proposal, asked, Context.of(runtime))
    if isinstance(checked, checks.Refused):
        return checked
    if before is not None and checked["digest"] != before["digest"]:
        checked["key"], checked["revision"] = asked.key(checked["digest"], later=1), revision + 1
    checked["requested_by"] = await book.requester_of(caller.tenant, checked["key"]) or asks
    return checked


def _asks(answered: Answered | None, caller: Caller, inboxes: tuple[str, ...]) -> str:
    """Who asks for what the book does not have yet: the inbox says who that is, anybody else is it himself.

    Never what state says of the one before, which callers may write.
    """
    if answered and answered["caller"] == caller.identity and caller.identity in inboxes:
        return answered["by"][0]
    return caller.identity


def _proposal(state: State) -> Proposal:
    if state.proposal is None:
        raise ValueError("there is no proposal; send one, or a message that says who is paid what")
    return state.proposal

"""The work of the engineering team's graph: each function is one node and returns the keys it changes.

The workers' nodes stand in handing.py.
"""

from typing import Literal

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Command, Overwrite

from agents.engineering_team import (
    asking,
    claiming,
    delivering,
    ending,
    questions,
    reporting,
    steering,
    vouching,
)
from agents.engineering_team.context import Context
from agents.engineering_team.ledger import Handoff
from agents.engineering_team.overview import overview
from agents.engineering_team.questions import Accept, SendBack, Stop
from agents.engineering_team.state import Files, State, Update
from agents.engineering_team.steering import SOLUTION, TESTS, Again, End, Go
from agents.engineering_team.workers.writing import LONGEST_FILE
from agents.shared.database import DatabaseUnavailable
from agents.shared.failures import buried, failed
from agents.shared.limits import over_limit
from agents.shared.resilience import giving_up
from agents.shared.running import tenant_on, thread_id
from agents.shared.shop.text import storable

LONGEST_TASK = 8_000
NEXT = Literal["researcher", "coder", "quality", "supervisor", "deliver", "sign_off", "report", "dead_letter"]


async def intake(state: State, runtime: Runtime[Context]) -> Update:
    """Open a task: clear what belonged to the one before, count it, check the limits of the thread."""
    context, turns = Context.of(runtime), state.get("turns", 0) + 1
    reason = over_limit(
        state.get("usage", {}), turns=turns, max_turns=context.max_turns, max_cost_usd=context.max_cost_usd
    )
    thread_id(runtime)  # without one nothing could be kept: said at once
    async with giving_up(runtime) as given_up:  # now, for an answer may come with the operators' key
        await tenant_on(runtime)
    unknown = failed("intake", given_up)  # whose it is; then nothing is begun
    said = (message.text for message in reversed(state["messages"]) if isinstance(message, HumanMessage))
    given = _given(state)
    update: Update = {
        "turns": 1,
        "tests": "",  # the next task brings its own, or none
        "code": "",
        "task": storable(next(said, "")).strip()[:LONGEST_TASK],
        "given": given,
        "files": given,
        "reviewed": {},
        "left_out": [],
        "research": Overwrite([]),
        "build": None,
        "review": None,
        "audit": None,
        "handoffs": Overwrite([]),
        "results": Overwrite([]),
        "notices": [],
        "advice": "",
        "advised": 0,
        "advised_at": 0,
        "outcome": None,
        "why": "",
        "deliverable": None,
        "failures": Overwrite(unknown["failures"]),
        "degraded": Overwrite([*([f"limit reached: {reason}"] if reason else []), *unknown["degraded"]]),
    }
    return {**update, "outcome": "closed", "why": reason} if reason else update


async def supervisor(state: State, runtime: Runtime[Context]) -> Command[NEXT]:
    """Decide who works next. What can't be followed is decided again, knowing why; what goes round ends politely.

    Reports that nobody of the team made are taken out first.
    """
    context = Context.of(runtime)
    if state.get("failures"):
        return Command(goto="dead_letter")
    async with giving_up(runtime, tried_enough=(DatabaseUnavailable,)) as given_up:
        state, sifted = await vouching.vouched(state, runtime)
    if given_up.reasons:
        return Command(goto="dead_letter", update=failed("supervisor", given_up))
    if over := steering.due(state, context):
        return ending.ended(state, over, context, sifted)
    asker = asking.Asker("supervise", context.supervisor_prompt, "supervisor")
    decision, update = await asking.decided(asker, overview(state, context), asking.Decision, runtime)
    update = {**update, **sifted, "degraded": [*update["degraded"], *sifted.get("degraded", [])]}
    match steering.follow(state, decision, context):
        case Again(notice=notice):
            return Command(
                goto="supervisor", update={**update, "notices": [*state.get("notices", []), notice]}
            )
        case End() as over:
            return ending.ended(state, over, context, update)
        case Go(to=to, reason=reason, brief=brief, by=by):
            runtime.stream_writer({"progress": f"{to}: {brief[:200]}"})
            number = steering.next_number(state)
            seen = steering.seen(state, to)
            handoff = Handoff(number=number, by=by, to=to, reason=reason, brief=brief, seen=seen)
            return Command(goto=to, update={**update, "handoffs": [handoff], "notices": []})


async def sign_off(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["supervisor", "report", "dead_letter"]]:
    """A person accepts, sends back or stops. Nothing with an effect may stand before the question.

    What is accepted is kept here: whoever may write state could else go on behind the question, and say yes.
    """
    sifted, _ = await vouching.sifted(state, runtime)
    match questions.ask_person(state, seen=steering.is_checked(sifted)):
        case Accept():
            update = await delivering.delivered(state, runtime, accepted=True)
            return Command(goto="dead_letter" if update.get("failures") else "report", update=update)
        case Stop(reason=reason):
            return Command(goto="report", update={"outcome": "stopped", "why": reason or "no reason given"})
        case SendBack(advice=advice):
            update: Update = {
                "advice": advice,
                "advised": state.get("advised", 0) + 1,
                "advised_at": steering.next_number(state) - 1,
                "notices": [],
                "why": "",
            }
            return Command(goto="supervisor", update=update)


async def deliver(state: State, runtime: Runtime[Context]) -> Update:
    """Keep what is clean."""
    return await delivering.delivered(state, runtime, accepted=False)


async def dead_letter(state: State, runtime: Runtime[Context]) -> Update:
    """Keep what could not be done, for operators."""
    detail = {"task": state.get("task", ""), "handoffs": len(state.get("handoffs", []))}
    request = str(state.get("turns", 0))
    failures = state.get("failures", [])
    told = await buried(runtime, failures, graph="engineering_team", request=request, detail=detail)
    return {**told, "outcome": "unavailable"}


async def report(state: State, runtime: Runtime[Context]) -> Update:
    """Say honestly what came of it: what is there, and what is missing; whatever the state says that nobody did."""
    state, update = await claiming.true(state, runtime)
    made = reporting.deliverable(state)
    return {
        **update,
        "deliverable": made,
        "outcome": made["outcome"],
        "messages": [AIMessage(reporting.reply(made))],
    }


def _given(state: State) -> Files:
    """The caller's files for this task."""
    given = {SOLUTION: state.get("code") or "", TESTS: state.get("tests") or ""}
    for key, text in zip(("code", "tests"), given.values(), strict=True):
        if not isinstance(text, str) or len(text) > LONGEST_FILE:
            raise ValueError(f"{key} must be text of at most {LONGEST_FILE} characters: send one module")
    return {name: storable(text) for name, text in given.items() if text.strip()}

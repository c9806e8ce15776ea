"""The work of the coder's graph: each function is one node and returns the keys it changes."""

from typing import Literal

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import Command, Overwrite

from agents.coder import asking, questions, tools, verdict
from agents.coder.context import Context
from agents.coder.questions import Accept, Advise, Stop
from agents.coder.state import State, Update
from agents.shared.failures import buried, failed
from agents.shared.limits import over_limit
from agents.shared.resilience import giving_up
from agents.shared.running import tenant_on, thread_id
from agents.shared.shop.text import storable


async def intake(state: State, runtime: Runtime[Context]) -> Update:
    """Open a task: clear what belonged to the one before, count it, check the limits of the thread."""
    context, turns = Context.of(runtime), state.get("turns", 0) + 1
    reason = over_limit(
        state.get("usage", {}), turns=turns, max_turns=context.max_turns, max_cost_usd=context.max_cost_usd
    )
    thread_id(runtime)
    async with giving_up(runtime) as given_up:  # now: an answer may come with the operators' key
        await tenant_on(runtime)
    unknown = failed("intake", given_up)  # whose it is; then nothing is spent on it
    degraded = [f"limit reached: {reason}"] if reason else []
    said = (message.text for message in reversed(state["messages"]) if isinstance(message, HumanMessage))
    task, checks = next(said, "").strip()[:8_000], _given(state)
    nothing = not (task or checks.strip())  # no model is asked about it, and no person
    return {
        "turns": 1,
        "task": task,
        "tests": "",  # the next task brings its own, or none
        "checks": checks,
        "code": "",
        "critique": "",
        "advice": "",
        "rounds": 0,
        "advised": 0,
        "tries": Overwrite([]),
        "problem": None,
        "stopped_because": "",
        "decided_by": None,
        "kept": None,
        "failures": Overwrite(unknown["failures"]),
        "degraded": Overwrite([*degraded, *unknown["degraded"]]),
        "outcome": "closed" if reason else "unclear" if nothing else None,
    }


async def generate(state: State, runtime: Runtime[Context]) -> Update:
    """The next attempt; it counts as a round, whatever comes of it."""
    rounds = state.get("rounds", 0) + 1
    runtime.stream_writer({"progress": f"writing the code, round {rounds}"})
    return {**await asking.written(state, runtime), "rounds": rounds}


async def verify(state: State, runtime: Runtime[Context]) -> Update:
    """Read the code and run its tests, in a process behind walls: never here."""
    runtime.stream_writer({"progress": "running the tests"})
    found = await tools.check(state, Context.of(runtime))
    runtime.stream_writer({"progress": found["summary"]})
    update: Update = {"tries": [found]}
    if found["kind"] == "unprotected":
        return {**update, "failures": [{"node": "verify", "reason": found["summary"]}]}
    return {**update, "outcome": "passed"} if found["kind"] == "passed" else update


async def critique(state: State, runtime: Runtime[Context]) -> Update:
    """What is wrong with the attempt, in words, for the next round."""
    runtime.stream_writer({"progress": "looking at what failed"})
    return await asking.criticised(state, runtime)


async def ask(state: State) -> Command[Literal["generate", "keep", "report"]]:
    """A person advises, accepts or stops. Nothing with an effect may ever stand in this node."""
    match questions.ask_person(state):
        case Accept():
            return Command(goto="keep", update={"outcome": "accepted"})
        case Stop(reason=reason):
            return Command(
                goto="report", update={"outcome": "stopped", "stopped_because": reason or "no reason given"}
            )
        case Advise() as advised:
            update: Update = {
                "advice": advised.advice,
                "advised": state.get("advised", 0) + 1,
                "rounds": 0,
                "critique": "",
            }
            if advised.tests:
                update["checks"] = advised.tests
            return Command(goto="generate", update=update)


async def keep(state: State, runtime: Runtime[Context]) -> Update:
    """Keep the solution: once for the task, however often this node runs."""
    found = verdict.best(state)
    if found is None:
        raise ValueError("keep needs an attempt; `verify` makes one")
    async with giving_up(runtime) as given_up:
        tenant = await tenant_on(runtime)
        kept = await tools.keep(state, found, tenant=tenant, thread_id=thread_id(runtime))
        return {} if kept == storable(found["code"]) else {"kept": kept}
    return failed("keep", given_up)


async def dead_letter(state: State, runtime: Runtime[Context]) -> Update:
    """Keep what could not be done, for operators."""
    detail = {"task": state.get("task", ""), "attempts": len(state.get("tries", []))}
    request = str(state.get("turns", 0))
    kept = await buried(runtime, state.get("failures", []), graph="coder", request=request, detail=detail)
    return {**kept, "outcome": "unavailable"}


async def report(state: State) -> Update:
    """Say honestly what came of it."""
    ended: State = {**state, "outcome": state.get("outcome") or "failed"}
    return {"messages": [AIMessage(verdict.report(ended))], "outcome": ended.get("outcome")}


def _given(state: State) -> str:
    """The caller's tests for this task."""
    tests: object = state.get("tests") or ""
    if not isinstance(tests, str) or len(tests) > asking.LONGEST_CODE:
        raise ValueError(f"tests must be text of at most {asking.LONGEST_CODE} characters: send one module")
    return tests

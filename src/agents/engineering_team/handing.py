"""The workers' nodes: each maps the state to what that worker needs, and its report back.

No worker sees the conversation, or what another one was told.
"""

from typing import Any

from langgraph.runtime import Runtime

from agents.engineering_team import prompts, steering, tools, vouching
from agents.engineering_team import quality as quality_team
from agents.engineering_team.checks.finding import blocking, counted, line_of
from agents.engineering_team.context import Context
from agents.engineering_team.ledger import LONGEST_WORDS, Ended, Handoff, Result, digest
from agents.engineering_team.state import Build, Files, State, Update
from agents.engineering_team.steering import TESTS
from agents.engineering_team.workers import coder as coding
from agents.engineering_team.workers import researcher as researching
from agents.engineering_team.workers.apart import apart
from agents.shared.database import DatabaseUnavailable
from agents.shared.failures import failed
from agents.shared.resilience import giving_up


async def researcher(state: State, runtime: Runtime[Context]) -> Update:
    """The researcher looks something up: it is shown the question."""
    asked = _asked(state)
    ended = await apart(researching.graph).ainvoke({"messages": [prompts.facts(question=asked["brief"])]})
    found = researching.report_of(ended, asked["brief"])
    update = _spent(ended, [f"researcher: {why}" for why in ended.get("away", [])])
    if found is None:
        return {**update, **_result(asked, "nothing", "ended without a report", ended.get("found", []))}
    known = [one["source"] for one in found["sources"]]
    result = _result(asked, "done" if known else "nothing", found["answer"], known or "nothing")
    update |= await _noted("researcher", runtime, vouching.by_researcher(found))
    return {**update, **result, "research": [found]}


async def coder(state: State, runtime: Runtime[Context]) -> Update:
    """The coder writes and tries: it is shown the task, its brief, the files, and what is wrong with them."""
    asked, before = _asked(state), state.get("files", {})
    build = state.get("build")
    message = prompts.facts(
        task=state.get("task", ""),
        brief=asked["brief"],
        advice=state.get("advice", ""),
        notes=[{"answer": one["answer"]} for one in state.get("research", [])],
        files=before,
        tests_are_given=bool(state.get("given", {}).get(TESTS)) or None,
        log=build["log"] if build and build["kind"] != "passed" else "",
        findings=[line_of(one) for one in blocking(steering.findings(state))],
    )
    sent: Any = {
        "messages": [message],
        "files": before,
        "given": state.get("given", {}),
        "kept_tests": before.get(TESTS, "") if steering.has_passed(state) else "",
    }
    ended = await apart(coding.graph).ainvoke(sent)
    files, made = ended["files"], ended.get("build")
    changed = files != before
    degraded = [f"coder: {ended['problem']}"] if ended.get("problem") else []
    words = (
        f"{'changed the files' if changed else 'changed nothing'}; {made['summary'] if made else 'no code'}"
    )
    result = _result(asked, "done" if changed else "nothing", words, digest(files, made and made["summary"]))
    update = {**_spent(ended, degraded), **result, "files": files, "build": made or build}
    if made:
        update |= await _noted("coder", runtime, vouching.by_tests(made))
    return {**update, **tools.unwalled("coder", made)}


async def quality(state: State, runtime: Runtime[Context]) -> Update:
    """The lead, the reviewer and the auditor look at the very files; those that nobody has tried are tried first."""
    asked, files = _asked(state), state.get("files", {})
    async with giving_up(runtime, tried_enough=(DatabaseUnavailable,)) as given_up:
        build = await _tried(state, runtime)
        if unwalled := tools.unwalled("quality", build):
            return {**unwalled, "build": build}
        sent: Any = {
            "task": state.get("task", ""),
            "brief": asked["brief"],
            "number": asked["number"],
            "files": files,
            "before": await _reviewed(state, runtime),
            "given": state.get("given", {}),
            "build": build,
        }
        ended = await quality_team.graph.ainvoke(sent)
        return _looked(asked, files, build, ended)
    return failed("quality", given_up)


async def _tried(state: State, runtime: Runtime[Context]) -> Build:
    """What the tests say of the files; run now where nobody here has."""
    genuine, _ = await vouching.vouched(state, runtime)
    build, files = genuine.get("build"), state.get("files", {})
    if not build or build["of"] != digest(files):
        build = await tools.tried(files, Context.of(runtime))
        await vouching.note(vouching.by_tests(build), runtime)
    return build


async def _reviewed(state: State, runtime: Runtime[Context]) -> Files:
    """The files as the reviewer saw them last, if it did: the difference to them is what it is shown."""
    before = state.get("reviewed", {})
    return before if before and await vouching.was_reviewed(state, before, runtime) else {}


def _looked(asked: Handoff, files: Files, build: Build, ended: Any) -> Update:
    """What came of quality's look."""
    findings = [*ended["review"]["findings"], *ended["audit"]["findings"]]
    words = f"{counted(findings)}, {len(blocking(findings))} to be mended"
    result = _result(asked, "done", words, digest(files, findings))
    return {
        **_spent(ended, []),
        "results": [*ended["results"], *result["results"]],
        "handoffs": ended["handoffs"],
        "review": ended["review"],
        "audit": ended["audit"],
        "reviewed": files,
        "build": build,
        "left_out": [],
    }


async def _noted(node: str, runtime: Runtime[Context], made: vouching.Made) -> Update:
    """A report that can't be noted would count for nothing, later: that is for the operators."""
    async with giving_up(runtime, tried_enough=(DatabaseUnavailable,)) as given_up:
        await vouching.note(made, runtime)
        return {}
    return failed(node, given_up)


def _asked(state: State) -> Handoff:
    """The hand-off that a worker's node runs for."""
    made = steering.of_the_whole(state)
    if not made:
        raise ValueError("a worker runs for a hand-off, and there is none: the supervisor makes it")
    return made[-1]


def _result(asked: Handoff, ended: Ended, summary: str, what: Any) -> Update:
    found = Result(
        number=asked["number"],
        worker=asked["to"],
        ended=ended,
        summary=summary[:LONGEST_WORDS],
        what=digest(what),
    )
    return {"results": [found]}


def _spent(ended: Any, degraded: list[str]) -> Update:
    """What a worker's graph spent, and which models were down."""
    return {"usage": ended.get("usage", {}), "degraded": [*ended.get("degraded", []), *degraded]}

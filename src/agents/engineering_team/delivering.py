"""Delivering: what is kept says that tests pass and that nothing is left, so that is looked at once more, here.

State may be written by callers; nothing of it but the files is believed, and what our own models said of these.
"""

from langgraph.runtime import Runtime

from agents.engineering_team import steering, tools, vouching
from agents.engineering_team.checks.finding import Finding, blocking, counted, joined
from agents.engineering_team.context import Context
from agents.engineering_team.state import Build, State, Update
from agents.shared.database import DatabaseUnavailable
from agents.shared.failures import failed
from agents.shared.resilience import giving_up
from agents.shared.running import caller, tenant_on, thread_id


async def delivered(state: State, runtime: Runtime[Context], *, accepted: bool) -> Update:
    """Try and read the files once more, and keep them if tests pass and nothing is left, or if that is `accepted`.

    Kept once for the task. The work of a node with `retry_policy=RETRY`.
    """
    if not steering.is_checked(state):
        return _unfinished(
            "nobody has looked at these very files: they were put in the place of those that were"
        )
    build = await tools.tried(state.get("files", {}), Context.of(runtime))
    if unwalled := tools.unwalled("deliver", build):
        return {"build": build, **unwalled}
    async with giving_up(runtime, tried_enough=(DatabaseUnavailable,)) as away:
        await vouching.note(vouching.by_tests(build), runtime)
        genuine, sifted = await vouching.vouched(state, runtime)
    if away.reasons:
        return {"build": build, **failed("deliver", away)}
    update, seen = {**sifted, "build": build}, steering.is_checked(genuine)
    if not seen and not accepted:
        return {**update, **_unfinished("nobody of this team has looked at these very files")}
    found = await _found(genuine, build)
    if why := _objection(state, build, found, accepted=accepted):
        return {**update, **_unfinished(why)}
    return {**update, **await _kept(state, build, found, runtime, taken=bool(blocking(found)) or not seen)}


async def _found(genuine: State, build: Build) -> list[Finding]:
    """What is read off the files now, and what our models said of them."""
    files = genuine.get("files", {})
    style = await tools.style_of(files, build, genuine.get("given", {}))
    checked = [*style, *await tools.holes_in(files, build)]
    return joined(checked, [one for one in steering.findings(genuine) if one["by"] == "model"])


def _objection(state: State, build: Build, found: list[Finding], *, accepted: bool) -> str:
    """Why it can't be kept; empty where it can."""
    if build["kind"] != "passed":
        return f"tried once more, {build['summary']}"
    if blocking(found) and not accepted:
        return f"looked at once more, there is {counted(blocking(found))} left to mend"
    if unseen := _not_shown(state, found):
        return f"looked at once more, there is {counted(unseen)} to mend that nobody was shown"
    return ""


async def _kept(
    state: State, build: Build, found: list[Finding], runtime: Runtime[Context], *, taken: bool
) -> Update:
    """Keep it; `taken` is whether it leaves the team by a person's word alone."""
    async with giving_up(runtime) as given_up:
        tenant = await tenant_on(runtime)
        by = caller().identity if taken else None
        there = await tools.keep(
            state, build, found, tenant=tenant, thread_id=thread_id(runtime), accepted_by=by
        )
        if there != state.get("files", {}):  # a run from the past: what was delivered stays
            return _unfinished("this task was delivered before, with other code")
        return {"outcome": "accepted" if taken else "delivered"}
    return failed("deliver", given_up)


def _unfinished(why: str) -> Update:
    return {"outcome": "incomplete", "why": why}


def _not_shown(state: State, found: list[Finding]) -> list[Finding]:
    """What has to be mended and did not stand in the question: nobody can have accepted that."""
    shown = {(one["area"], one["rule"], one["line"]) for one in steering.findings(state)}
    return [one for one in blocking(found) if (one["area"], one["rule"], one["line"]) not in shown]

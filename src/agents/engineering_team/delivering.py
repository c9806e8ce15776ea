"""Delivering: what is kept says that tests pass and that nothing is left, so that is looked at once more, here.

State may be written by callers; nothing of it but the files, and what models said of them, is believed.
"""

from langgraph.runtime import Runtime

from agents.engineering_team import steering, tools
from agents.engineering_team.checks.finding import Finding, blocking, counted, joined
from agents.engineering_team.context import Context
from agents.engineering_team.state import State, Update
from agents.shared.failures import failed
from agents.shared.resilience import giving_up
from agents.shared.running import caller, tenant_on, thread_id


async def delivered(state: State, runtime: Runtime[Context], *, accepted: bool) -> Update:
    """Try and read the files once more, and keep them if tests pass and nothing is left, or if that is `accepted`.

    Kept once for the task. The work of a node with `retry_policy=RETRY`.
    """
    files = state.get("files", {})
    if not steering.is_checked(state):
        why = "nobody has looked at these very files: they were put in the place of those that were"
        return {"outcome": "incomplete", "why": why}
    build = await tools.tried(files, Context.of(runtime))
    style = await tools.style_of(files, build, state.get("given", {}))
    checked = [*style, *await tools.holes_in(files, build)]
    found = joined(checked, [one for one in steering.findings(state) if one["by"] == "model"])
    update: Update = {"build": build}
    if unwalled := tools.unwalled("deliver", build):
        return {**update, **unwalled}
    if build["kind"] != "passed":
        return {**update, "outcome": "incomplete", "why": f"tried once more, {build['summary']}"}
    if blocking(found) and not accepted:
        why = f"looked at once more, there is {counted(blocking(found))} left to mend"
        return {**update, "outcome": "incomplete", "why": why}
    if unseen := _not_shown(state, found):
        why = f"looked at once more, there is {counted(unseen)} to mend that nobody was shown"
        return {**update, "outcome": "incomplete", "why": why}
    async with giving_up(runtime) as given_up:
        tenant = await tenant_on(runtime)
        by = caller().identity if blocking(found) else None
        there = await tools.keep(
            state, build, found, tenant=tenant, thread_id=thread_id(runtime), accepted_by=by
        )
        if there != files:  # a run from the past: what was delivered stays
            return {
                **update,
                "outcome": "incomplete",
                "why": "this task was delivered before, with other code",
            }
        return {**update, "outcome": "accepted" if blocking(found) else "delivered"}
    return {**update, **failed("deliver", given_up)}


def _not_shown(state: State, found: list[Finding]) -> list[Finding]:
    """What has to be mended and did not stand in the question: nobody can have accepted that."""
    shown = {(one["area"], one["rule"], one["line"]) for one in steering.findings(state)}
    return [one for one in blocking(found) if (one["area"], one["rule"], one["line"]) not in shown]

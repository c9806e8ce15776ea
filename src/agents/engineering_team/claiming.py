"""What a task claims to have come to, and whether it did: looked at before the caller is told.

Whoever may write state may write an outcome into it, and name the node to go on with.
"""

from typing import Any, cast

from langgraph.runtime import Runtime

from agents.engineering_team import steering, tools, vouching
from agents.engineering_team.state import Outcome, State, Update
from agents.shared.database import DatabaseUnavailable
from agents.shared.failures import degraded
from agents.shared.resilience import giving_up
from agents.shared.running import thread_id


async def true(state: State, runtime: Runtime[Any]) -> tuple[State, Update]:
    """The state as it may be told of, and what that changes in it: reports that were made, an outcome that came."""
    sifted, update = await vouching.sifted(state, runtime)
    outcome, note = sifted.get("outcome"), Update()
    match outcome:
        case "delivered" | "accepted":
            untrue, note = await _not_kept(sifted, outcome, runtime)
        case "reviewed" if not steering.is_checked(sifted):
            untrue = "nobody of this team has looked at these very files"
        case "answered" if not any(one["sources"] for one in sifted.get("research", [])):
            untrue = "nobody of this team has looked this up"
        case _:
            untrue = ""
    if not untrue:
        return sifted, update
    notes = [*update.get("degraded", []), *note.get("degraded", [])]
    told: Any = {**sifted, "outcome": "incomplete", "why": untrue}
    return cast("State", told), {**update, "degraded": notes, "outcome": "incomplete", "why": untrue}


async def _not_kept(state: State, outcome: Outcome, runtime: Runtime[Any]) -> tuple[str, Update]:
    """Why the outcome is not true of what is kept for the task; empty where it is."""
    async with giving_up(runtime, tried_enough=(DatabaseUnavailable,)) as given_up:
        kept = await tools.kept(state, thread_id(runtime))
        if kept and (kept["files"], kept["status"]) == (state.get("files", {}), outcome):
            return "", {}
        return "nothing of the kind was kept for this task", {}
    return "whether it was kept can't be looked up now", degraded("report", given_up)

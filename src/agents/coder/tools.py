"""What the nodes do to the world: code is run behind walls, what came of it is kept once, failures are buried."""

from agents.coder import verdict
from agents.coder.context import Context
from agents.coder.state import Attempt, Failure, State
from agents.shared.database import connection
from agents.shared.queries import load
from agents.shared.resilience import breaker
from agents.shared.sandbox import runner
from agents.shared.shop import dead_letters
from agents.shared.shop.text import storable

_KEEP = load(__file__)["keep_solution"]


async def check(state: State, context: Context) -> Attempt:
    """Run the tests of the code that is in state."""
    code = state.get("code", "")
    return verdict.attempt(code, await runner.run(code, state.get("checks", ""), context.limits()))


async def keep(state: State, found: Attempt, *, tenant: str, thread_id: str) -> bool:
    """Keep the solution of the thread's current task; False when it is kept already."""
    row = {
        "key": f"solution:{thread_id}:{state.get('turns', 0)}",
        "tenant": tenant,
        "thread_id": thread_id,
        "task": storable(state.get("task", "")) or "(no words)",
        "code": storable(found["code"]),
        "tests": storable(state.get("checks", "")),
        "status": "passed" if found["kind"] == "passed" else "accepted",
        "passed": found["passed"],
        "total": found["total"],
        "log": storable(found["log"]),
    }
    async with breaker("workshop"), connection() as conn:
        kept = await (await conn.execute(_KEEP, row)).fetchone()
    return kept is not None


async def bury(state: State, failures: list[Failure], thread_id: str) -> bool:
    """Keep what could not be done where operators look for it."""
    return await dead_letters.bury(
        key=f"dead-letter:coder:{thread_id}:{state.get('turns', 0)}",
        graph="coder",
        node=failures[0]["node"],
        ticket_id=None,
        thread_id=thread_id,
        reason="; ".join(f"{failure['node']}: {failure['reason']}" for failure in failures),
        detail={"task": state.get("task", ""), "attempts": len(state.get("tries", []))},
    )

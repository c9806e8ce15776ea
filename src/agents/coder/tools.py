"""What the nodes do to the world: code is run behind walls, what came of it is kept once."""

from agents.coder import verdict
from agents.coder.context import Context
from agents.coder.state import Attempt, State
from agents.shared.database import connection
from agents.shared.queries import load
from agents.shared.resilience import breaker
from agents.shared.sandbox import runner
from agents.shared.shop.text import storable

_SQL = load(__file__)
_KEEP, _KEPT = _SQL["keep_solution"], _SQL["kept_solution"]


async def check(state: State, context: Context) -> Attempt:
    """Run the tests of the code that is in state."""
    code, checks = state.get("code", ""), state.get("checks", "")
    return verdict.attempt(code, checks, await runner.run(code, checks, context.limits()))


async def keep(state: State, found: Attempt, *, tenant: str, thread_id: str) -> str:
    """Keep the solution of the thread's current task, once; the code that is kept, now or the first time."""
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
        await conn.execute(_KEEP, row)
        kept = await (await conn.execute(_KEPT, row)).fetchone()
    if kept is None:
        raise RuntimeError("workshop.solutions refused a row and holds none")
    return kept["code"]

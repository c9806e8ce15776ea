"""Who decided: people answer in the review service, which comes with a key of its own and says whose answer it is.

Anybody may write that into a thread's state; it counts where an inbox did. Which callers are inboxes stands in the
tenant's row of treasury.limits, for all graphs.
"""

from agents.shared.callers import Caller
from agents.shared.database import connection
from agents.shared.queries import load

_IS_INBOX = load(__file__)["is_inbox"]


async def decided_by(named: str | None, caller: Caller, tenant: str) -> str:
    """Whoever an inbox names; of other callers, themselves. `tenant` is the thread's. Raises DatabaseUnavailable."""
    if not named or named == caller.identity:
        return caller.identity
    return named if await is_inbox(caller.identity, tenant) else caller.identity


async def is_inbox(name: str, tenant: str) -> bool:
    """Whether a caller of that name answers for people, on a tenant's threads. Raises DatabaseUnavailable."""
    async with connection() as conn:
        row = await (await conn.execute(_IS_INBOX, {"tenant": tenant, "name": name})).fetchone()
    return bool(row and row["is_one"])

"""What the nodes do to the world: statements on the database, as the restricted roles.

A write has an idempotency key made of stable state (thread, number of the question, the statement's digest), which is
noted in the transaction of its effect: however often `execute` runs, the rows change once.
"""

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from agents.shared.resilience import breaker
from agents.sql_operator import access
from agents.sql_operator.access.sessions import LONGEST_CELL
from agents.sql_operator.state import Checked, Result, State

LARGEST_RESULT = 60_000
"""Characters of all values that are kept: checkpoints stay small."""


async def plan(checked: Checked, *, tenant: str, timeout_s: float) -> int | None:
    """Whether the database takes the statement, without an effect: the rows that a write would change, else None."""
    async with breaker("desk"):
        if checked["kind"] == "read":
            await access.plan_only(checked["sql"], tenant=tenant, timeout_s=timeout_s)
            return None
        return await access.count_rows(checked["sql"], tenant=tenant, timeout_s=timeout_s)


async def run_query(checked: Checked, *, tenant: str, timeout_s: float, limit: int) -> Result:
    """The rows, as JSON, at most `limit`."""
    async with breaker("desk"):
        found = await access.fetch(checked["sql"], tenant=tenant, timeout_s=timeout_s, limit=limit)
    rows, size = [], 0
    for row in found.rows:
        kept = [plain(value) for value in row]
        size += sum(len(str(value)) for value in kept)
        if size > LARGEST_RESULT:
            return Result(columns=found.columns, rows=rows, row_count=len(rows), more=True, repeated=False)
        rows.append(kept)
    return Result(columns=found.columns, rows=rows, row_count=len(rows), more=found.more, repeated=False)


async def run_write(
    state: State, checked: Checked, *, tenant: str, thread_id: str, timeout_s: float
) -> Result:
    """Do it once; `repeated` when an earlier run of the node did."""
    async with breaker("desk"):
        count, repeated = await access.carry_out(
            checked["sql"],
            key=write_key(state, checked, thread_id),
            tenant=tenant,
            timeout_s=timeout_s,
            expected=checked["rows"] or 0,
        )
    return Result(columns=[], rows=[], row_count=count, more=False, repeated=repeated)


def write_key(state: State, checked: Checked, thread_id: str) -> str:
    """Names the write of the thread's current question."""
    return f"write:{thread_id}:{state.get('turns', 0)}:{checked['digest'][:16]}"


def plain(value: Any) -> Any:
    """A value as JSON has it: numbers exact to their decimals, dates as ISO text, the rest as text."""
    match value:
        case None | bool() | int() | float():
            return value
        case Decimal():
            return float(value) if abs(value) < 10**15 else str(value)
        case date() | datetime():
            return value.isoformat()
        case timedelta():
            return str(value)
        case _:
            text = str(value)
            return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"

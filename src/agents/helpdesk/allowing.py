"""Which refunds a person let pass: rows that the gate writes behind its question, and without which `refund` pays
nothing. State alone says nothing: callers of the API may write it, and may go on behind the gate.
"""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from langchain_core.runnables import RunnableConfig

from agents.helpdesk.refusing import amount_of, refusal
from agents.shared.callers import caller_of
from agents.shared.database import connection
from agents.shared.queries import load
from agents.shared.shop.orders import order_number

_SQL = load(__file__)
_ALLOW, _IS_ALLOWED = _SQL["allow"], _SQL["is_allowed"]


async def allow(
    call_id: str, args: Mapping[str, Any], state: Mapping[str, Any], config: RunnableConfig
) -> None:
    """Keep that a person let this very refund pass. One that can't be anyway is not kept."""
    if refusal(args, state) is not None:
        return
    caller = caller_of(config)
    row = _row(call_id, args, state, config)
    async with connection() as conn:
        await conn.execute(_ALLOW, {**row, "tenant": caller.tenant, "allowed_by": caller.identity})


async def is_allowed(
    call_id: str, args: Mapping[str, Any], state: Mapping[str, Any], config: RunnableConfig
) -> bool:
    """Whether a person let this call, for this order and amount, pass on this thread."""
    async with connection() as conn:
        found = await (await conn.execute(_IS_ALLOWED, _row(call_id, args, state, config))).fetchone()
    return bool(found and found["allowed"])


def _row(
    call_id: str, args: Mapping[str, Any], state: Mapping[str, Any], config: RunnableConfig
) -> dict[str, Any]:
    return {
        "thread_id": str(config.get("configurable", {}).get("thread_id", "")),
        "call_id": call_id,
        "order_id": order_number(str(args.get("order_id", ""))) or "",
        "amount_usd": Decimal(str(amount_of(args, state))),
    }

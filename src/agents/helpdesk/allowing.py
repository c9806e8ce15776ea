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
from agents.shared.thread_tenants import tenant_of

_SQL = load(__file__)
_ALLOW, _ALLOWED = _SQL["allow"], _SQL["allowed"]


async def allow(
    call_id: str, args: Mapping[str, Any], state: Mapping[str, Any], config: RunnableConfig
) -> None:
    """Keep that a person let this very refund pass. One that can't be anyway is not kept."""
    if refusal(args, state) is not None:
        return
    caller = caller_of(config)
    row = _row(call_id, args, state, config) | {"request": state.get("turns", 1)}
    async with connection() as conn:
        await conn.execute(_ALLOW, {**row, "tenant": caller.tenant, "allowed_by": caller.identity})


async def key_of(
    call_id: str, args: Mapping[str, Any], state: Mapping[str, Any], config: RunnableConfig
) -> tuple[str, int] | None:
    """Under which key, and as which request of the thread, this call is paid: None if no person let it pass.

    Of order and request, not of the call: a run from the past asks with new call ids, and must not pay twice. The
    number of the request is that of the row: the one in state may be written, and would pay once more.
    """
    row = _row(call_id, args, state, config)
    async with connection() as conn:
        found = await (await conn.execute(_ALLOWED, row)).fetchone()
    if found is None:
        return None
    if (
        found["request"] is None
    ):  # let pass by a release that made keys of tickets: it may have been paid under that
        turn = state.get("turns", 1)
        return f"helpdesk:{state.get('ticket_id', '')}:{row['order_id']}:{turn}", turn
    tenant = await tenant_of(caller_of(config), row["thread_id"])
    return f"helpdesk:{tenant}:{row['thread_id']}:{row['order_id']}:{found['request']}", found["request"]


def _row(
    call_id: str, args: Mapping[str, Any], state: Mapping[str, Any], config: RunnableConfig
) -> dict[str, Any]:
    return {
        "thread_id": str(config.get("configurable", {}).get("thread_id", "")),
        "call_id": call_id,
        "order_id": order_number(str(args.get("order_id", ""))) or "",
        "amount_usd": Decimal(str(amount_of(args, state))),
    }

"""What a person let pass: rows that the gate writes behind its question, and without which `refund` pays nothing that
policy alone does not give.

State says nothing about it: callers of the API may write it, may go on behind the gate, and may change what a pending
question is about while it keeps its id. So the question that is put is noted with a digest of what it shows, an answer
counts for that and nothing else, and what was answered is a row. What needs no person is worked out once more, from the
shop's tables and the run's context, where it is paid.
"""

from decimal import Decimal
from typing import Any

from langgraph.runtime import Runtime
from psycopg.rows import DictRow
from psycopg.sql import SQL

from agents.shared import asked
from agents.shared.callers import MAIN
from agents.shared.database import connection
from agents.shared.errors import PermanentError
from agents.shared.inboxes import decided_by
from agents.shared.queries import load
from agents.shared.running import caller, tenant_on, thread_id
from agents.shared.shop.orders import Order
from agents.support import tools, verdict
from agents.support.claims import Claim, shown_of
from agents.support.context import Context
from agents.support.state import Decision, State, Update

_SQL = load(__file__)
_ANSWERED, _LAST_WORD, _BEGUN, _CEILING = (
    _SQL[name] for name in ("answered", "last_word", "begun", "ceiling")
)


class NotAllowed(PermanentError):
    """No person allowed the refund, and policy does not give it."""


async def put(state: State, runtime: Runtime[Context]) -> bool:
    """Note what the question that is being put shows. False where it showed something else when it was first put: then
    whoever answers it may have seen that, and it has to be put anew. Raises DatabaseUnavailable.
    """
    return await asked.put(thread_id(runtime), _task(runtime), shown_of(state))


async def keep(claim: Claim, amount: float | None, state: State, runtime: Runtime[Context]) -> bool:
    """Keep that a person allows `amount` USD of what is claimed, or with None nothing.

    False, and nothing is kept, for an answer to another question than the one that was put. Raises OtherTenant,
    DatabaseUnavailable.
    """
    if not claim.thread_id:
        return True  # called by hand: there is no thread on which it could be paid
    tenant = await tenant_on(runtime)
    if not await _was_asked(claim, state, runtime, tenant):
        return False
    allowed = None if amount is None else Decimal(str(amount))
    by = await decided_by(state.get("decided_by"), caller(), tenant)
    values = {**_request(claim), "tenant": tenant}
    async with connection() as conn:
        await conn.execute(_ANSWERED, {**values, "amount_usd": allowed, "answered_by": by})
    return True


async def is_allowed(claim: Claim) -> bool:
    """Whether a person's last word on the request was this amount. Raises DatabaseUnavailable."""
    said = await _one(_LAST_WORD, _request(claim))
    return said is not None and said["amount_usd"] == claim.amount


async def question_before_paying(claim: Claim, state: State, runtime: Runtime[Context]) -> Update | None:
    """None when what is claimed may be paid; else the changes of state with which a person is asked about it.

    Raises NotAllowed where policy gives nothing that one could be asked about; OtherTenant, DatabaseUnavailable.
    """
    waits = (state.get("decision") or {}).get("needs_approval", False)
    if claim.status == "proposed" and waits:
        return {}  # somebody went past the gate, which may have its question open
    tenant = await tenant_on(runtime)
    if tenant != MAIN:
        raise NotAllowed("the shop's orders are not this tenant's")
    # What was begun under the key was looked at then, and its money has left the order; it is paid as it was, or not.
    begun = await _one(_BEGUN, {"key": tools.request_key(state, "refund", tenant)})
    if (begun and begun["begun"]) or await is_allowed(claim):
        return None
    fresh, order = await _worked_out(claim, state, runtime, tenant)
    if order is None or fresh["status"] != "proposed":
        raise NotAllowed(_no_one(claim, fresh["why"] or "there is no such order"))
    if not (waits or fresh.get("needs_approval")) and claim.amount_usd <= fresh["amount_usd"]:
        return None
    return _asked_again(claim, state, fresh, order)


async def _was_asked(claim: Claim, state: State, runtime: Runtime[Context], tenant: str) -> bool:
    """Whether this run of the gate put the question that its state makes now.

    A question that an older release put is noted nowhere; nor is one that was answered before it was put. Such an
    answer counts where the shop's tables make the same of the request.
    """
    shown = await asked.was_shown(thread_id(runtime), _task(runtime), shown_of(state))
    if shown is not None:
        return shown
    fresh, _ = await _worked_out(claim, state, runtime, tenant)
    return fresh["status"] == "proposed" and fresh["amount_usd"] == claim.amount_usd


async def _worked_out(
    claim: Claim, state: State, runtime: Runtime[Context], tenant: str
) -> tuple[Decision, Order | None]:
    """What `assess` would decide now, from the order and the policy as they stand in the tables: a row of
    shop.refund_ceilings lowers the threshold, and nothing lifts it."""
    context, details = Context.of(runtime), state.get("details")
    ceiling = await _one(_CEILING, {"tenant": tenant})
    order = await tools.find_order(claim.order_id) if tenant == MAIN else None
    policy = await tools.find_policy(details["reason"] if details else "other")
    now: Any = {
        **state,
        "intent": "refund",
        "order_id": claim.order_id,
        "order": order,
        "policy": policy,
        "off": [*state.get("off", []), *context.off],
    }
    threshold = context.approval_threshold_usd
    decision, _ = verdict.assess(now, threshold_usd=min(threshold, ceiling["usd"]) if ceiling else threshold)
    return decision, order


def _asked_again(claim: Claim, state: State, fresh: Decision, order: Order) -> Update:
    """The request as the tables have it, with the amount from state if it can be; and why a person is asked."""
    fits = verdict.edit_error(claim.amount_usd, fresh["amount_usd"]) is None
    amount = claim.amount_usd if fits else fresh["amount_usd"]
    note = f"${claim.amount_usd:,.2f} was to be paid, which no person has allowed: so it is asked here."
    proposal: Decision = {
        "status": "proposed",
        "amount_usd": amount,
        "why": f"{fresh['why']} {note}",
        "needs_approval": True,
    }
    draft = state.get("draft", "")
    return {
        "decision": proposal,
        "order": order,
        "outcome": "refund_proposed",
        "draft": draft if f"{amount:,.2f}" in draft else "",  # one that names another amount is written anew
        "problem": None,
    }


async def _one(query: SQL, values: dict[str, Any]) -> DictRow | None:
    async with connection() as conn:
        return await (await conn.execute(query, values)).fetchone()


def _task(runtime: Runtime[Context]) -> str:
    """This run of the gate: the same when it runs again, to be answered or after a crash."""
    return runtime.execution_info.task_id if runtime.execution_info else ""


def _request(claim: Claim) -> dict[str, Any]:
    return claim.model_dump(include={"thread_id", "ticket_id", "request", "order_id"})


def _no_one(claim: Claim, why: str) -> str:
    return f"no person allowed ${claim.amount_usd:,.2f} of order {claim.order_id}, and policy does not give it: {why}"

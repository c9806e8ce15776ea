"""Pure decisions: what a request comes to, given what was found. No model has a say in money."""

from typing import Any

from agents.shared.shop.orders import Order
from agents.shared.shop.policies import Policy
from agents.support.state import Decision, Outcome, State

REFUNDS_OFF = "refunds are not among this assistant's enabled tools"
ORDERS_OFF = "looking up orders is not among this assistant's enabled tools"
SEARCH_OFF = "searching the help articles is not among this assistant's enabled tools"


def assess(state: State, *, threshold_usd: float) -> tuple[Decision, Outcome]:
    """The decision about the money and the outcome so far, from what earlier nodes have found.

    Amounts are USD with two decimals. What a tool would be needed for that is off is for a person, and says why.
    """
    intent, off = state.get("intent"), state.get("off", [])
    if intent == "refund":
        if "lookup_order" in off:
            return _no_money(ORDERS_OFF), "human"
        decision, outcome = _refund(
            state.get("order_id"), state.get("order"), state.get("policy"), threshold_usd
        )
        if "refund" in off and decision["status"] == "proposed":
            return _no_money(
                f"${decision['amount_usd']:,.2f} is {decision['why']} But {REFUNDS_OFF}"
            ), "human"
        return decision, outcome
    if intent in ("complaint", "human", "order_change"):
        return _no_money(), intent
    if "search_kb" in off:
        return _no_money(SEARCH_OFF), "human"
    return _no_money(), "answered" if state.get("articles") else "no_article"


def _refund(
    order_id: str | None, order: Order | None, policy: Policy | None, threshold_usd: float
) -> tuple[Decision, Outcome]:
    if not order_id:
        return _no_money(), "order_number_missing"
    if order is None or policy is None:
        return _no_money(), "order_not_found"
    why = _refusal(order, policy)
    if why:
        return {"status": "declined", "amount_usd": 0.0, "why": why}, "refund_declined"
    amount = round(min(order["refundable_usd"], order["paid_usd"] * policy["refund_share"]), 2)
    decision: Decision = {
        "status": "proposed",
        "amount_usd": amount,
        "why": f"within policy ({policy['reason']}): {policy['text']}{_before(order)}",
        # Decided here, once, and kept: a threshold changed while the request waits must not open the gate.
        # What is left of an order after a part went back (a person cut it, or the policy gives a share) is nobody's to
        # have by asking again: who looks at it sees what was refunded before.
        "needs_approval": amount > threshold_usd or order["refundable_usd"] < order["paid_usd"],
    }
    return decision, "refund_proposed"


def _before(order: Order) -> str:
    """What a reviewer has to know of an order of which a part went back, or is about to."""
    gone = round(order["paid_usd"] - order["refundable_usd"], 2)
    return f" ${gone:.2f} of ${order['paid_usd']:.2f} went back before." if gone > 0 else ""


def _refusal(order: Order, policy: Policy) -> str | None:
    """Why policy does not allow the refund, or None."""
    if order["refundable_usd"] <= 0:
        if order["refunded_usd"] > 0:
            return f"order {order['order_id']} was refunded already (${order['refunded_usd']:.2f})"
        if order["paid_usd"] > 0:  # set aside for a refund that the payment provider has not confirmed
            return f"a refund of order {order['order_id']} is under way already"
        return f"nothing was paid for order {order['order_id']}"
    days = order["days_since_delivery"]
    if order["status"] == "cancelled":
        return None  # cancelled and still paid: the money goes back, whatever the reason
    if policy["refund_share"] <= 0:
        return policy["text"]
    if days is None:
        return (
            None if policy["reason"] == "late" else "it has not been delivered yet; it can still be cancelled"
        )
    if days > policy["window_days"]:
        return (
            f"it was delivered {days} days ago and the limit for this reason is {policy['window_days']} days"
        )
    return None


def _no_money(why: str = "") -> Decision:
    return {"status": "none", "amount_usd": 0.0, "why": why}


def edit_error(amount_usd: float, refundable_usd: float) -> str | None:
    """What is wrong with an amount that a reviewer typed, or None."""
    if round(amount_usd, 2) != amount_usd:
        return f"${amount_usd} has more than two decimals"
    if amount_usd > refundable_usd:
        return f"${amount_usd:.2f} is more than the ${refundable_usd:.2f} that can still be refunded"
    return None


def facts(state: State, *, tone: str, desk: str) -> dict[str, Any]:
    """What the reply may say, and nothing else: numbers come from state, never from message text."""
    decision = state.get("decision") or _no_money()
    order = state.get("order")
    policy = state.get("policy")
    details = state.get("details")
    return {
        "outcome": state.get("outcome"),
        "order_id": order["order_id"] if order else state.get("order_id"),
        "customer_name": order["customer_name"] if order else None,
        "order": order,
        "amount_usd": decision["amount_usd"],
        "reason": decision["why"] if decision["status"] == "declined" else (details or {}).get("reason"),
        "reject_reason": decision.get("reject_reason"),
        "policy_text": policy["text"] if policy else None,
        "articles": state.get("articles", [])[:3],
        "tone": tone,
        "desk": desk,
    }

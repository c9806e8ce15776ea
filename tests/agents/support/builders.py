"""Hand-made state for tests of single nodes, routers and decisions."""

from typing import Any, cast

from langchain_core.messages import HumanMessage

from agents.shared.shop.orders import Order
from agents.shared.shop.policies import Policy
from agents.support.state import Decision, State


def order(**changes: Any) -> Order:
    """The blender: $640, delivered three days ago."""
    values: dict[str, Any] = {
        "order_id": "88123",
        "customer_id": "c1",
        "customer_name": "Ada Example",
        "customer_email": "ada@example.com",
        "status": "delivered",
        "placed_on": "2026-01-02",
        "delivered_on": "2026-01-09",
        "days_since_delivery": 3,
        "items": [{"name": "Blender", "category": "kitchen", "price_usd": 640.0, "quantity": 1}],
        "paid_usd": 640.0,
        "refunded_usd": 0.0,
        "refundable_usd": 640.0,
    }
    return cast("Order", values | changes)


def policy(**changes: Any) -> Policy:
    """Damaged goods: thirty days, all of the money."""
    values: dict[str, Any] = {
        "reason": "damaged",
        "window_days": 30,
        "refund_share": 1.0,
        "text": "Damaged goods are refunded in full within 30 days.",
    }
    return cast("Policy", values | changes)


def decision(**changes: Any) -> Decision:
    values: dict[str, Any] = {
        "status": "proposed",
        "amount_usd": 640.0,
        "why": "within policy",
        "needs_approval": True,
    }
    return cast("Decision", values | changes)


def state(**changes: Any) -> State:
    """The first request of a thread, as `intake` leaves it."""
    values: dict[str, Any] = {
        "ticket_id": "T-1",
        "messages": [HumanMessage("My blender arrived broken, order 88123.", id="m1")],
        "turns": 1,
        "usage": {},
        "articles": [],
        "failures": [],
        "degraded": [],
        "attempts": {},
        "remaining_steps": 40,
    }
    return cast("State", values | changes)

"""Which refunds are refused before a person is asked: pure, so that the gate and the tool judge alike."""

from collections.abc import Mapping
from typing import Any

from agents.shared.shop.orders import order_number


def amount_of(args: Mapping[str, Any], state: Mapping[str, Any]) -> float | None:
    """What a call of `refund` asks for: its amount, or all that the order has left. None when that can't be said."""
    amount = args.get("amount_usd")
    if amount is not None:
        return float(amount) if isinstance(amount, int | float) and not isinstance(amount, bool) else None
    order = state.get("orders", {}).get(order_number(str(args.get("order_id", ""))))
    return order["refundable_usd"] if order else None


def refusal(args: Mapping[str, Any], state: Mapping[str, Any]) -> str | None:
    """Why a refund can't be, in words for the model; None when a person may be asked about it."""
    number = order_number(str(args.get("order_id", "")))
    order = state.get("orders", {}).get(number)
    if order is None:
        return f"Look order {args.get('order_id')} up first: a refund needs an order that was found."
    if any(paid["order_id"] == number for paid in state.get("receipts", [])):
        return f"Order {number} was refunded in this request already; its receipt stands above."
    amount = amount_of(args, state)
    if amount is None or amount != amount or amount <= 0:  # NaN is not itself
        return f"Nothing can be refunded for order {number}: name an amount above zero, or none if it has any left."
    if round(amount, 2) != amount:
        return "The amount has more than two decimals."
    if amount > order["refundable_usd"]:
        return f"Order {number} has ${order['refundable_usd']:.2f} left to refund, which is less than was asked for."
    return None

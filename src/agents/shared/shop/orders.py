"""Orders as the agents see them."""

import re
from typing import Literal, cast

from typing_extensions import TypedDict

from agents.shared.database import connection
from agents.shared.queries import load

_FIND = load(__file__)["find_order"]


class Item(TypedDict):
    """One line of an order; the price is for one piece."""

    name: str
    category: str
    price_usd: float
    quantity: int


class Order(TypedDict):
    """An order; dates are ISO, amounts USD with two decimals.

    `refundable_usd` is what was paid less what went back and less what a payment provider was just asked for.
    """

    order_id: str
    customer_id: str
    customer_name: str
    customer_email: str
    status: Literal["pending", "processed", "delivered", "cancelled"]
    placed_on: str
    delivered_on: str | None
    days_since_delivery: int | None
    items: list[Item]
    paid_usd: float
    refunded_usd: float
    refundable_usd: float


def order_number(text: str) -> str | None:
    """The number as the shop keeps it: "#88123" and " 88123 " are "88123", "#w2611340" is "W2611340".

    None when no order can have that number: the same rule is a constraint of the table.
    """
    number = re.sub(r"[\s#]", "", text).upper()
    return number if re.fullmatch(r"[A-Z]{0,3}[0-9]{4,15}", number) else None


async def find_order(order_id: str) -> Order | None:
    """The order with that number, however it was typed, or None. Raises DatabaseUnavailable."""
    number = order_number(order_id)
    if number is None:
        return None
    async with connection() as conn:
        row = await (await conn.execute(_FIND, {"order_id": number})).fetchone()
    return cast("Order", row) if row else None

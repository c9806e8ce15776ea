"""Makes up the days of an order from its number, the same ones each time."""

import random
from datetime import date, timedelta


def made_up_days(order_id: str, status: str, today: date) -> tuple[date, date | None]:
    """When an order with this number and status was placed, and when delivered if it was.

    Delivered ones are 1 to 100 days old, so that some are still within a return policy and some are not.
    """
    chance = random.Random(order_id)  # noqa: S311 - chosen to be the same each time
    match status:
        case "delivered":
            delivered = today - timedelta(days=chance.randint(1, 100))
            return delivered - timedelta(days=chance.randint(2, 7)), delivered
        case "cancelled":
            return today - timedelta(days=chance.randint(3, 100)), None
        case "processed":
            return today - timedelta(days=chance.randint(2, 5)), None
        case _:
            return today - timedelta(days=chance.randint(0, 2)), None

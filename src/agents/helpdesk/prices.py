"""What the shop sells, and for how much."""

import re
from typing import Any, cast

from typing_extensions import TypedDict

from agents.shared.database import connection
from agents.shared.queries import load

_FIND = load(__file__)["find_prices"]


class Price(TypedDict):
    """One article; `options` are such as color and size."""

    item_id: str
    name: str
    category: str
    options: dict[str, Any]
    price_usd: float
    available: bool


async def find_prices(product: str, limit: int = 5) -> list[Price]:
    """The articles that a product's name stands for, those on stock and the cheapest first; empty when there are none.

    Raises DatabaseUnavailable.
    """
    words = [f"%{word}%" for word in re.findall(r"[^\W_]+", product)[:8]]
    if not words:
        return []
    async with connection() as conn:
        rows = await (await conn.execute(_FIND, {"words": words, "limit": limit})).fetchall()
    return cast("list[Price]", rows)

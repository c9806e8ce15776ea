"""Which tools a customer's tier opens; the model is offered no others, and a call of another one is refused."""

from collections.abc import Mapping
from typing import Any, cast

from agents.helpdesk.state import Tier

GUEST = frozenset({"search_articles", "vat", "price_check", "escalate_to_human"})
CUSTOMER = GUEST | {"order_lookup"}
PREMIUM = CUSTOMER | {"refund"}
TOOLS_OF: dict[Tier, frozenset[str]] = {"guest": GUEST, "customer": CUSTOMER, "premium": PREMIUM}


def tier_of(state: Mapping[str, Any]) -> Tier:
    """The caller's tier; one that is missing, or that nobody knows, is a guest's."""
    tier = state.get("user_tier")
    return cast("Tier", tier) if tier in TOOLS_OF else "guest"


def may_call(state: Mapping[str, Any], tool: str) -> bool:
    """Whether the tier opens the tool."""
    return tool in TOOLS_OF[tier_of(state)]

"""Paying customers back: one function in front of the configured provider.

Without configuration refunds are rows of the ledger in Postgres; with an `HttpProvider` the money moves
there and the ledger gets the same row.
"""

from decimal import Decimal

from agents.shared.payments.ledger import LedgerProvider
from agents.shared.payments.over_http import HttpProvider
from agents.shared.payments.provider import (
    PaymentRefused,
    PaymentUnavailable,
    PaymentUnrecorded,
    Provider,
    Receipt,
    RefundRequest,
)
from agents.shared.shop.orders import order_number

__all__ = [
    "HttpProvider",
    "LedgerProvider",
    "PaymentRefused",
    "PaymentUnavailable",
    "PaymentUnrecorded",
    "Provider",
    "Receipt",
    "configure",
    "refund",
]

_LARGEST = Decimal("99999999.99")
_configured: Provider | None = None


def configure(provider: Provider | None) -> None:
    """Use this provider from now on; None goes back to the ledger."""
    global _configured
    _configured = provider


async def refund(*, key: str, order_id: str, ticket_id: str, amount: Decimal, request: int = 1) -> Receipt:
    """Pay `amount` USD back once for `key`, which must come from stable state.

    `request` numbers the requests on one ticket; two refunds of one ticket, order and request count as a
    duplicate in the ledger's summary. Raises what `Provider` names.
    """
    number = order_number(order_id)
    if number is None:
        raise PaymentRefused(f"there is no order {order_id!r}; check the number")
    whole_cents = amount.is_finite() and 0 < amount <= _LARGEST and amount == amount.quantize(Decimal("0.01"))
    if not whole_cents:
        raise PaymentRefused(f"${amount} can't be paid back; give an amount above zero in whole cents")
    provider = _configured or LedgerProvider()
    return await provider.refund(RefundRequest(key, number, ticket_id, request, amount))

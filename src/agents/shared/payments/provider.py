"""What every payment provider takes, gives and raises."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Protocol

from typing_extensions import TypedDict

from agents.shared.errors import PermanentError, TransientError


@dataclass(frozen=True)
class RefundRequest:
    """One refund to make: `amount` in USD, whole cents; `request` numbers the requests on the ticket."""

    key: str
    order_id: str
    ticket_id: str
    request: int
    amount: Decimal


class Receipt(TypedDict):
    """A refund that was made; `repeated` when this key had been paid before and nothing was paid now."""

    key: str
    order_id: str
    amount_usd: float
    provider: str
    reference: str
    repeated: bool


class PaymentRefused(PermanentError):
    """The refund was refused and no money moved."""


class PaymentUnavailable(TransientError):
    """The payment provider can't be reached or can't answer now; ask again with the same key.

    `maybe_paid` is False when the request can't have been carried out.
    """

    def __init__(
        self, message: str, *, maybe_paid: bool, retry_after_s: float | None = None, detail: str = ""
    ) -> None:
        super().__init__(message, retry_after_s=retry_after_s, detail=detail)
        self.maybe_paid = maybe_paid


class PaymentUnrecorded(PermanentError):
    """Money may have moved in a way that the ledger can't hold; a person has to settle it."""


class Provider(Protocol):
    """Pays back once for each key.

    Raises PaymentRefused, PaymentUnavailable, PaymentUnrecorded, and DatabaseUnavailable (transient).
    """

    async def refund(self, request: RefundRequest) -> Receipt:
        """Make the refund, or find the one that this key made before."""
        ...

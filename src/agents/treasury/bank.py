"""Who carries a transaction out: the book itself, or the payment provider over HTTP. Once for each key."""

from dataclasses import dataclass
from decimal import Decimal
from hashlib import sha256
from typing import Protocol

from pydantic import BaseModel, Field

from agents.shared.payments import PaymentUnrecorded
from agents.shared.payments.wire import Wire
from agents.shared.resilience.retry import RETRIES, Retries


@dataclass(frozen=True)
class Order:
    """What the bank is asked: `path` is transfers or trades, `body` what that needs besides amount and currency."""

    key: str
    path: str
    amount: Decimal
    body: dict[str, str]


class Bank(Protocol):
    """Carries out once for each key, and gives its own reference.

    Raises PaymentRefused, PaymentUnavailable and PaymentUnrecorded.
    """

    async def carry_out(self, order: Order) -> str:
        """Move the money, or find what this key moved before."""
        ...


class BookBank:
    """No bank is configured: the book's own row is all there is. The reference is made of the key."""

    async def carry_out(self, order: Order) -> str:
        """See `Bank`."""
        return "B-" + sha256(order.key.encode()).hexdigest()[:12].upper()


class _Answer(BaseModel):
    """Body of a 2xx; `amount` is USD, as a string or a number."""

    id: str = Field(min_length=1)
    amount: Decimal


class HttpBank:
    """POSTs to `{base_url}/transfers` and `{base_url}/trades`. See `Wire`."""

    def __init__(
        self, base_url: str, api_key: str, timeout_s: float = 10.0, *, retries: Retries = RETRIES
    ) -> None:
        self._wire = Wire(base_url, api_key, timeout_s, retries=retries)

    async def carry_out(self, order: Order) -> str:
        """See `Bank`."""
        body = {**order.body, "amount": f"{order.amount:.2f}", "currency": "USD"}
        answer, _ = await self._wire.post(order.path, order.key, body, _Answer.model_validate_json)
        if answer.amount != order.amount:
            raise PaymentUnrecorded(
                f"the bank confirmed {answer.id} over ${answer.amount} and was asked for ${order.amount}: "
                f"settle {order.key!r} by hand"
            )
        return answer.id


_configured: Bank | None = None


def configure(bank: Bank | None) -> None:
    """Use this bank from now on; None goes back to the book alone."""
    global _configured
    _configured = bank


def bank() -> Bank:
    """The bank that is in use."""
    return _configured or BookBank()

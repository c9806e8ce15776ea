"""A payment provider over HTTP; the ledger keeps a row of each of its refunds under the same key.

Before the provider is asked, the amount is set aside in the database (a hold), so that two requests can't
together pay back more than was paid. The hold becomes the refund's row, or is released when the money
surely did not move. While that is unknown it stays: money that may be gone is not there to give.
"""

from decimal import Decimal

from psycopg import IntegrityError
from pydantic import BaseModel, Field

from agents.shared.payments import ledger
from agents.shared.payments.provider import (
    PaymentRefused,
    PaymentUnavailable,
    PaymentUnrecorded,
    Receipt,
    RefundRequest,
)
from agents.shared.payments.wire import NoVerdict, Wire
from agents.shared.resilience.retry import RETRIES, Retries


class _Answer(BaseModel):
    """Body of a 2xx; `amount` is USD, as a string or a number."""

    id: str = Field(min_length=1)
    order_id: str
    amount: Decimal


class HttpProvider:
    """POSTs to `{base_url}/refunds`: JSON order_id, amount (a string such as "640.00"), currency. See `Wire`."""

    def __init__(
        self, base_url: str, api_key: str, timeout_s: float = 10.0, *, retries: Retries = RETRIES
    ) -> None:
        self._wire = Wire(base_url, api_key, timeout_s, retries=retries)

    async def refund(self, request: RefundRequest) -> Receipt:
        """See `Provider`."""
        known = await ledger.find(request)
        if known is not None:
            return known
        try:
            with ledger.named_refusals(request):
                fresh = await ledger.place_hold(request)
        except PaymentRefused:
            # Someone else may have finished the same refund since we looked.
            known = await ledger.find(request)
            if known is not None:
                return known
            raise
        answer, repeated = await self._ask(request, maybe_paid=not fresh)
        return await _keep(request, answer, repeated=repeated)

    async def _ask(self, request: RefundRequest, *, maybe_paid: bool) -> tuple[_Answer, bool]:
        """The provider's answer and whether it had given it before; releases the hold if nothing was paid."""
        body = {"order_id": request.order_id, "amount": f"{request.amount:.2f}", "currency": "USD"}
        try:
            return await self._wire.post("refunds", request.key, body, _Answer.model_validate_json)
        except (PaymentUnavailable, NoVerdict) as error:
            if not (maybe_paid or error.maybe_paid):
                await ledger.release_hold(request)
            raise
        except PaymentRefused:
            await ledger.release_hold(request)
            raise


async def _keep(request: RefundRequest, answer: _Answer, *, repeated: bool) -> Receipt:
    """Write what the provider did into the ledger. If that fails for now, the same key finds it again."""
    paid = f"the payment provider confirmed {answer.id}: ${answer.amount} of order {answer.order_id}"
    if (answer.order_id, answer.amount) != (request.order_id, request.amount):
        asked = f"${request.amount} of order {request.order_id}"
        raise PaymentUnrecorded(f"{paid}; it was asked for {asked}: settle {request.key!r} by hand")
    try:
        return await ledger.record(request, provider="http", reference=answer.id, repeated=repeated)
    except IntegrityError as error:
        raise PaymentUnrecorded(f"{paid}; the ledger can't hold it: settle it by hand") from error

"""A payment provider over HTTP; the ledger keeps a row of each of its refunds under the same key.

Before the provider is asked, the amount is set aside in the database (a hold), so that two requests can't
together pay back more than was paid. The hold becomes the refund's row, or is released when the money
surely did not move. While that is unknown it stays: money that may be gone is not there to give.
"""

import asyncio
import ssl
from decimal import Decimal
from urllib.parse import quote

import httpx
from psycopg import IntegrityError
from pydantic import BaseModel, Field, ValidationError

from agents.shared.payments import ledger
from agents.shared.payments.provider import (
    PaymentRefused,
    PaymentUnavailable,
    PaymentUnrecorded,
    Receipt,
    RefundRequest,
)
from agents.shared.resilience.retry import RETRIES, Retries, read_retry_after, retrying

# The provider is still busy with this key, or with too much else: not a verdict.
_BUSY = frozenset({408, 409, 425, 429})
# These judge this very refund. Other 4xx (our key, the URL) say nothing about what an earlier try did.
_VERDICTS = frozenset({400, 402, 422})
_NEVER_ARRIVED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class _Answer(BaseModel):
    """Body of a 2xx; `amount` is USD, as a string or a number."""

    id: str = Field(min_length=1)
    order_id: str
    amount: Decimal


class _NoVerdict(PaymentRefused):
    """The provider refused to look at the request at all."""


class HttpProvider:
    """POSTs to `{base_url}/refunds`: JSON order_id, amount (a string such as "640.00"), currency.

    Three tries for network trouble, 429 and 5xx; `timeout_s` bounds each try as a whole.
    """

    def __init__(
        self, base_url: str, api_key: str, timeout_s: float = 10.0, *, retries: Retries = RETRIES
    ) -> None:
        if httpx.URL(base_url).scheme not in {"http", "https"}:
            raise ValueError(
                f"the payment provider's URL is {base_url!r}; it must start with http:// or https://"
            )
        self._url = f"{base_url.rstrip('/')}/refunds"
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._retries = retries
        self._tls: ssl.SSLContext | None = None

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
        try:
            async for attempt in retrying(self._retries):
                with attempt:
                    try:
                        return _read(await self._post(request))
                    except PaymentUnavailable as error:
                        maybe_paid = maybe_paid or error.maybe_paid
                        raise
        except PaymentUnavailable:
            if not maybe_paid:
                await ledger.release_hold(request)
            raise
        except PaymentRefused as error:
            if not (maybe_paid and isinstance(error, _NoVerdict)):
                await ledger.release_hold(request)
            raise
        raise RuntimeError("retrying() ended without an answer and without an error")

    async def _post(self, request: RefundRequest) -> httpx.Response:
        # Quoted, because a ticket's id may hold what a header can't; an ordinary key stays as it is.
        key = quote(request.key, safe=":/#@")
        headers = {"Idempotency-Key": key, "Authorization": f"Bearer {self._api_key}"}
        body = {"order_id": request.order_id, "amount": f"{request.amount:.2f}", "currency": "USD"}
        if self._tls is None:  # reads certificate files, which would block the event loop
            self._tls = await asyncio.to_thread(httpx.create_ssl_context)
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                httpx.AsyncClient(verify=self._tls, timeout=self._timeout_s) as client,
            ):
                return await client.post(self._url, json=body, headers=headers)
        except _NEVER_ARRIVED as error:
            raise PaymentUnavailable(f"payment provider not reached: {error}", maybe_paid=False) from error
        except (httpx.TransportError, httpx.DecodingError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
            raise PaymentUnavailable(f"payment provider broke off: {reason}", maybe_paid=True) from error


def _read(response: httpx.Response) -> tuple[_Answer, bool]:
    status = response.status_code
    if status in _BUSY or status >= 500:
        raise PaymentUnavailable(
            f"payment provider answered {status}",
            maybe_paid=status != 429,
            retry_after_s=read_retry_after(response.headers),
        )
    if not response.is_success:
        kind = PaymentRefused if status in _VERDICTS else _NoVerdict
        raise kind(f"payment provider refused with {status}: {response.text[:200]}")
    try:
        answer = _Answer.model_validate_json(response.content)
    except ValidationError as error:
        raise PaymentUnavailable("payment provider gave an unreadable answer", maybe_paid=True) from error
    return answer, response.headers.get("Idempotent-Replayed") == "true"


async def _keep(request: RefundRequest, answer: _Answer, *, repeated: bool) -> Receipt:
    """Write what the provider did into the ledger. If that fails for now, the same key finds it again."""
    paid = f"the payment provider confirmed {answer.id}: ${answer.amount} of order {answer.order_id}"
    if (answer.order_id, answer.amount) != (request.order_id, request.amount):
        asked = f"${request.amount} of order {request.order_id}"
        raise PaymentUnrecorded(f"{paid}; it was asked for {asked}: settle {request.key!r} by hand")
    try:
        return await ledger.record(request, provider="http", reference=answer.id, repeated=repeated)
    except IntegrityError as error:
        reason = error.diag.message_primary
        raise PaymentUnrecorded(f"{paid}; the ledger can't hold it ({reason}): settle it by hand") from error

"""One request to a payment provider over HTTP, tried as often as its kind of failure deserves.

What every refusal and every silence says about the money is decided here: `maybe_paid` is False only when no try can
have been carried out.
"""

import asyncio
import ssl
from collections.abc import Callable, Mapping
from typing import TypeVar
from urllib.parse import quote

import httpx

from agents.shared.payments.provider import PaymentRefused, PaymentUnavailable
from agents.shared.resilience.retry import RETRIES, Retries, read_retry_after, retrying

# The provider is still busy with this key, or with too much else: not a verdict.
_BUSY = frozenset({408, 409, 425, 429})
# These judge this very request. Other 4xx (our key, the URL) say nothing about what an earlier try did.
_VERDICTS = frozenset({400, 402, 422})
_NEVER_ARRIVED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
Answer = TypeVar("Answer")


class NoVerdict(PaymentRefused):
    """The provider refused to look at the request at all; an earlier try may have been carried out (`maybe_paid`)."""

    maybe_paid = False


class Wire:
    """POSTs JSON to `{base_url}/...` with an `Idempotency-Key` and a bearer key.

    Three tries for network trouble, 429 and 5xx; `timeout_s` bounds each try as a whole.
    """

    def __init__(
        self, base_url: str, api_key: str, timeout_s: float = 10.0, *, retries: Retries = RETRIES
    ) -> None:
        if httpx.URL(base_url).scheme not in {"http", "https"}:
            raise ValueError(
                f"the payment provider's URL is {base_url!r}; it must start with http:// or https://"
            )
        self._base_url = base_url.rstrip("/")
        self._api_key = api_key
        self._timeout_s = timeout_s
        self._retries = retries
        self._tls: ssl.SSLContext | None = None

    async def post(
        self, path: str, key: str, body: Mapping[str, str], read: Callable[[bytes], Answer]
    ) -> tuple[Answer, bool]:
        """What `read` makes of the body of a 2xx, and whether the provider had given that answer before.

        `read` raises ValueError for what it can't read. Raises PaymentUnavailable, PaymentRefused and NoVerdict.
        """
        maybe_paid = False
        try:
            async for attempt in retrying(self._retries):
                with attempt:
                    try:
                        return _read(await self._post(path, key, body), read)
                    except PaymentUnavailable as error:
                        maybe_paid = error.maybe_paid = maybe_paid or error.maybe_paid
                        raise
        except NoVerdict as error:
            error.maybe_paid = maybe_paid
            raise
        raise RuntimeError("retrying() ended without an answer and without an error")

    async def _post(self, path: str, key: str, body: Mapping[str, str]) -> httpx.Response:
        # Quoted, because a ticket's id may hold what a header can't; an ordinary key stays as it is.
        headers = {
            "Idempotency-Key": quote(key, safe=":/#@"),
            "Authorization": f"Bearer {self._api_key}",
        }
        if self._tls is None:  # reads certificate files, which would block the event loop
            self._tls = await asyncio.to_thread(httpx.create_ssl_context)
        try:
            async with (
                asyncio.timeout(self._timeout_s),
                httpx.AsyncClient(verify=self._tls, timeout=self._timeout_s) as client,
            ):
                return await client.post(f"{self._base_url}/{path}", json=dict(body), headers=headers)
        except _NEVER_ARRIVED as error:
            raise PaymentUnavailable(
                "payment provider not reached", maybe_paid=False, detail=str(error)
            ) from error
        except (httpx.TransportError, httpx.DecodingError, TimeoutError) as error:
            reason = str(error) or type(error).__name__
            raise PaymentUnavailable("payment provider broke off", maybe_paid=True, detail=reason) from error


def _read(response: httpx.Response, read: Callable[[bytes], Answer]) -> tuple[Answer, bool]:
    status = response.status_code
    if status in _BUSY or status >= 500:
        raise PaymentUnavailable(
            f"payment provider answered {status}",
            maybe_paid=status != 429,
            retry_after_s=read_retry_after(response.headers),
        )
    if not response.is_success:
        kind = PaymentRefused if status in _VERDICTS else NoVerdict
        raise kind(f"payment provider refused with {status}", detail=response.text[:200])
    try:
        answer = read(response.content)
    except ValueError as error:
        raise PaymentUnavailable("payment provider gave an unreadable answer", maybe_paid=True) from error
    return answer, response.headers.get("Idempotent-Replayed") == "true"

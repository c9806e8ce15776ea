"""Tries again after a transient failure: three tries, half a second doubling, Retry-After honoured."""

import math
import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from langgraph.types import RetryPolicy
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception, stop_after_attempt

from agents.shared.resilience.transient import is_transient


@dataclass(frozen=True)
class Retries:
    """How often and how patiently one call is tried; times in seconds."""

    attempts: int = 3
    first_wait_s: float = 0.5
    factor: float = 2.0
    longest_wait_s: float = 30.0
    jitter: float = 0.5  # up to this share of a wait is added, so that callers do not come back together


RETRIES = Retries()

RETRY = RetryPolicy(
    initial_interval=RETRIES.first_wait_s,
    backoff_factor=RETRIES.factor,
    max_interval=RETRIES.longest_wait_s,
    max_attempts=RETRIES.attempts,
    jitter=True,
    retry_on=is_transient,
)


def retrying(retries: Retries = RETRIES) -> AsyncRetrying:
    """Use as `async for attempt in retrying(): with attempt: ...`; the last error comes out as it is."""

    def wait(state: RetryCallState) -> float:
        failure = state.outcome.exception() if state.outcome else None
        return wait_before_next(state.attempt_number, failure, retries)

    return AsyncRetrying(
        stop=stop_after_attempt(retries.attempts),
        wait=wait,
        retry=retry_if_exception(is_transient),
        reraise=True,
    )


def wait_before_next(attempt: int, failure: BaseException | None, retries: Retries) -> float:
    """Seconds to wait after failed attempt number `attempt`, which counts from 1."""
    wait = retries.first_wait_s * retries.factor ** (attempt - 1)
    wait += wait * retries.jitter * random.random()  # noqa: S311 - spreads callers, hides nothing
    asked = retry_after_s(failure) if failure else None
    return min(max(wait, asked or 0.0), retries.longest_wait_s)


def retry_after_s(failure: BaseException) -> float | None:
    """Seconds that the other side asked us to wait, or None when it asked for nothing readable."""
    own = getattr(failure, "retry_after_s", None)
    if own is not None:
        return float(own)
    headers = getattr(getattr(failure, "response", None), "headers", None)
    return read_retry_after(headers) if headers is not None else None


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds from `retry-after-ms` or `retry-after` (a number or an HTTP date)."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            seconds = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        return max(seconds, 0.0) if math.isfinite(seconds) else None
    try:
        date = parsedate_to_datetime(headers.get("retry-after", ""))
    except ValueError:
        return None
    date = date if date.tzinfo else date.replace(tzinfo=UTC)
    return max((date - datetime.now(UTC)).total_seconds(), 0.0)

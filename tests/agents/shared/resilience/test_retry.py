"""How often, how long, and what comes out in the end."""

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import httpx
import pytest

from agents.shared.errors import TransientError
from agents.shared.resilience import RETRIES, Retries, retrying
from agents.shared.resilience.retry import read_retry_after, wait_before_next

QUICK = Retries(first_wait_s=0.001, jitter=0.0)
PLAIN = Retries(jitter=0.0)


async def attempts_of(*failures: Exception | None, retries: Retries = QUICK) -> int:
    left = list(failures)
    async for attempt in retrying(retries):
        with attempt:
            failure = left.pop(0)
            if failure is not None:
                raise failure
    return len(failures) - len(left)


async def test_success_ends_it() -> None:
    assert await attempts_of(None, None) == 1
    assert await attempts_of(TransientError(), None, None) == 2


async def test_the_third_failure_comes_out_as_it_is() -> None:
    failures = [TransientError(str(number)) for number in range(4)]
    with pytest.raises(TransientError, match="2"):
        await attempts_of(*failures)


async def test_what_is_not_transient_comes_out_at_once() -> None:
    with pytest.raises(ValueError, match="bug"):
        await attempts_of(ValueError("bug"), None)


def test_waits_double_and_are_capped() -> None:
    waits = [wait_before_next(attempt, None, PLAIN) for attempt in (1, 2, 3, 7, 8)]
    assert waits == [0.5, 1.0, 2.0, 30.0, 30.0]


def test_jitter_only_adds() -> None:
    waits = {wait_before_next(1, None, RETRIES) for _ in range(50)}
    assert min(waits) >= 0.5
    assert max(waits) <= 0.75
    assert len(waits) > 1


@pytest.mark.parametrize(("asked", "wait"), [(0.2, 0.5), (7.0, 7.0), (3600.0, 30.0), (None, 0.5)])
def test_retry_after_is_honoured_up_to_the_cap(asked: float | None, wait: float) -> None:
    assert wait_before_next(1, TransientError("x", retry_after_s=asked), PLAIN) == wait


def test_retry_after_is_read_from_an_http_error() -> None:
    request = httpx.Request("GET", "http://127.0.0.1/")
    response = httpx.Response(429, headers={"Retry-After": "4"}, request=request)
    failure = httpx.HTTPStatusError("x", request=request, response=response)
    assert wait_before_next(1, failure, PLAIN) == 4.0


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "-3"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
        ({}, None),
    ],
)
def test_forms_of_retry_after(headers: dict[str, str], seconds: float | None) -> None:
    assert read_retry_after(headers) == seconds


def test_retry_after_as_a_date() -> None:
    seconds = read_retry_after({"retry-after": format_datetime(datetime.now(UTC) + timedelta(seconds=20))})
    assert seconds is not None and 18 < seconds <= 20

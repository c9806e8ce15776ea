"""The SDK's errors in our words: what the server did not do, and what to do about it."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx
from langgraph_sdk.errors import APIStatusError, NotFoundError

from stationmaster.reconcile.errors import Missing, ServerRefused, ServerUnavailable


@contextmanager
def translated(url: str) -> Iterator[None]:
    """The SDK's errors in our words; NotFoundError and ConflictError pass where a caller catches them inside."""
    try:
        yield
    except NotFoundError as error:
        raise Missing(f"{url} does not have it ({said(error)}): plan again", 404) from error
    except APIStatusError as error:
        if error.status_code >= 500 or error.status_code == 429:
            raise ServerUnavailable(
                f"{url} answered {error.status_code} ({said(error)}): see its log, then do it again"
            ) from error
        raise ServerRefused(
            f"{url} refused with {error.status_code} ({said(error)}): {_way_out(error.status_code)}",
            error.status_code,
        ) from error
    except httpx.HTTPError as error:
        raise ServerUnavailable(
            f"{url} does not answer ({type(error).__name__}): see that it runs, then do it again"
        ) from error


@contextmanager
def gone_is_well() -> Iterator[None]:
    try:
        yield
    except NotFoundError:
        return


def said(error: APIStatusError) -> str:
    """What the server said, in at most 300 characters."""
    body = error.body
    said = body.get("detail") if isinstance(body, Mapping) else None
    return str(said or error.message)[:300]


def _way_out(status: int) -> str:
    if status in (401, 403):
        return "set STATIONMASTER_API_KEY to a key that it accepts"
    return "correct what it names, and do it again"

"""What the Agent Server, or whatever stands in front of it, says when something went wrong, in our words."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import httpx
from langgraph_sdk.errors import APIStatusError, ConflictError, NotFoundError

from stationmaster.reviews.errors import AgentServerRefused, AgentServerUnavailable

NOT_NOW = frozenset({408, 425, 429})
"""Of the 4xx, those that say nothing of the request, as a proxy's that waited for too long: it may have arrived."""


class ThreadBusy(AgentServerRefused):
    """Another run of the thread is under way; nothing was started."""


class ThreadGone(AgentServerRefused):
    """The thread, its run or its assistant is not there; nothing was started."""


class ThreadMissing(AgentServerRefused):
    """The server does not know the thread, and it is not yet sure that it was deleted: nothing is concluded."""


class StateUnreadable(AgentServerRefused):
    """The thread is there, and its graph as it is now can't read its state: it is gone, or its schema has changed."""


class NeverArrived(AgentServerUnavailable):
    """No connection: the request certainly did not reach the server."""


@contextmanager
def translated(url: str) -> Iterator[None]:
    """The SDK's errors in our words. NotFoundError passes where a caller catches it inside."""
    try:
        yield
    except ConflictError as error:
        raise ThreadBusy(f"the thread is busy ({_said(error)}): it is tried again", 409) from error
    except NotFoundError as error:
        raise ThreadGone(
            f"the Agent Server does not know it ({_said(error)}): look at the thread", 404
        ) from error
    except APIStatusError as error:
        if error.status_code >= 500 or error.status_code in NOT_NOW:
            raise AgentServerUnavailable(
                f"the Agent Server at {url} answered {error.status_code} ({_said(error)}): see its log"
            ) from error
        raise AgentServerRefused(
            f"the Agent Server refused with {error.status_code} ({_said(error)}): {_way_out(error.status_code)}",
            error.status_code,
        ) from error
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
        raise NeverArrived(
            f"no Agent Server answers at {url} ({error}): start it, or correct the URL"
        ) from error
    except httpx.HTTPError as error:
        raise AgentServerUnavailable(
            f"the Agent Server at {url} broke off ({type(error).__name__}): see its log"
        ) from error


@contextmanager
def reading_state() -> Iterator[None]:
    """Inside `translated`: of a thread that was there a moment ago."""
    try:
        yield
    except APIStatusError as error:
        if error.status_code not in (400, 404, 422):
            raise
        raise StateUnreadable(
            f"the thread's state can't be read by its graph as that is now ({_said(error)}): bring back the graph in "
            "langgraph.json, or have its code take what the thread holds",
            error.status_code,
        ) from error


def require_its_own(error: NotFoundError) -> None:
    """A proxy in front of the server answers 404 too; the server says it in JSON."""
    body = error.body
    if not isinstance(body, Mapping) or not isinstance(body.get("detail"), str):
        raise AgentServerUnavailable(
            f"a 404 that is not the Agent Server's own ({_said(error)}): look at what answers at its URL"
        ) from error


def require_told_by_itself(answer: httpx.Response, url: str) -> None:
    """What a server without offers answers to /info: 200, or 404 where its langgraph.json switches it off, in JSON."""
    known = answer.status_code in (200, 404) and _is_object(answer)
    if not known:
        raise AgentServerUnavailable(
            f"the Agent Server at {url} answered {answer.status_code} to /info: see its log, and what is in front of it"
        )


def _is_object(answer: httpx.Response) -> bool:
    try:
        body: object = answer.json()
    except ValueError:
        return False
    return isinstance(body, Mapping) and (answer.status_code == 200 or isinstance(body.get("detail"), str))


def _said(error: APIStatusError) -> str:
    """What the server said, in at most 300 characters."""
    body = error.body
    said = body.get("detail") if isinstance(body, Mapping) else None
    return " ".join(str(said or error.message).split())[:300]


def _way_out(status: int) -> str:
    return (
        "set STATIONMASTER_API_KEY to a key it accepts" if status in (401, 403) else "see the review's answer"
    )

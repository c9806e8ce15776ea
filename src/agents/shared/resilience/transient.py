"""Which failures are worth another try: one list for nodes, calls and breakers."""

import httpx
import httpx2
import openai
import psycopg
from langchain_core.exceptions import ContextOverflowError, ModelError

from agents.shared.errors import PermanentError, TransientError

# A wrong URL, a request that breaks the protocol or is too long is a mistake of ours: it fails every time.
_OUR_MISTAKES = (
    httpx.UnsupportedProtocol,
    httpx.LocalProtocolError,
    httpx2.UnsupportedProtocol,
    httpx2.LocalProtocolError,
    ContextOverflowError,
)
_CONNECTION_TROUBLE = (
    TimeoutError,
    ConnectionError,
    httpx.TransportError,
    httpx2.TransportError,
    openai.APIConnectionError,
)
_PASSING_STATUS = frozenset({408, 425, 429})
# A 429 with this code is an empty account, which waiting does not fill.
_NO_MONEY = "insufficient_quota"
# SQLSTATE classes and codes: 08 connection, 40 rolled back (serialization, deadlock), 53 out of resources,
# 57 operator intervention (cancelled, shutting down), 55P03 lock not available.
_PASSING_SQLSTATE = ("08", "40", "53", "57", "55P03")


def is_transient(exc: BaseException) -> bool:
    """Whether the same call may succeed a moment later.

    False for what a retry can't change: bugs, refused requests (400, 401, 403, 404), an open breaker,
    anything derived from PermanentError, and cancellation.
    """
    if isinstance(exc, (PermanentError, *_OUR_MISTAKES)):
        return False
    if isinstance(exc, (TransientError, *_CONNECTION_TROUBLE)):
        return True
    if isinstance(exc, psycopg.Error):
        return _passing_database_error(exc)
    if isinstance(exc, openai.APIError):
        return _passing_model_error(exc)
    if isinstance(exc, httpx.HTTPStatusError | httpx2.HTTPStatusError):
        return _passing_status(exc.response.status_code)
    return isinstance(exc, ModelError) and exc.is_retryable


def _passing_status(status: int) -> bool:
    return status in _PASSING_STATUS or status >= 500


def _passing_model_error(exc: openai.APIError) -> bool:
    if isinstance(exc, openai.APIStatusError):
        return _passing_status(exc.status_code) and exc.code != _NO_MONEY
    # An error event in the middle of a stream carries no status, only a type.
    return not (exc.type or "").startswith("invalid_request") and exc.code != _NO_MONEY


def _passing_database_error(exc: psycopg.Error) -> bool:
    if exc.sqlstate is None:  # the connection broke, or none could be had: the server said nothing
        return isinstance(exc, psycopg.OperationalError)
    return exc.sqlstate.startswith(_PASSING_SQLSTATE)

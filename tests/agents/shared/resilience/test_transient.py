"""One list decides what is tried again."""

import asyncio

import httpx
import httpx2
import openai
import psycopg
import pytest
from langchain_core.exceptions import ContextOverflowError, ModelRateLimitError, ModelRefusalError
from psycopg import errors as pg
from psycopg_pool import PoolTimeout

from agents.shared.database import DatabaseNotConfigured, DatabaseUnavailable
from agents.shared.errors import PermanentError, TransientError
from agents.shared.models import ModelDown, ModelMisconfigured, ModelRejected, ModelUnavailable
from agents.shared.payments import PaymentRefused, PaymentUnavailable
from agents.shared.resilience import RETRY, BreakerOpen, is_transient

REQUEST = httpx2.Request("POST", "http://127.0.0.1/")


def openai_status(status: int, code: str | None = None) -> openai.APIStatusError:
    response = httpx2.Response(status, request=REQUEST)
    return openai.APIStatusError("x", response=response, body={"code": code})


def http_status(status: int) -> httpx.HTTPStatusError:
    request = httpx.Request("GET", "http://127.0.0.1/")
    return httpx.HTTPStatusError("x", request=request, response=httpx.Response(status, request=request))


PASSING = [
    TransientError(),
    DatabaseUnavailable(),
    PaymentUnavailable("away", maybe_paid=False),
    ModelUnavailable("timeout"),
    TimeoutError(),
    ConnectionResetError(),
    httpx.ConnectError("x"),
    httpx.ReadTimeout("x"),
    httpx2.RemoteProtocolError("x"),
    http_status(503),
    http_status(429),
    openai.APITimeoutError(REQUEST),
    openai.APIConnectionError(request=REQUEST),
    openai_status(429),
    openai_status(500),
    openai_status(408),
    openai.APIError("overloaded", REQUEST, body={"type": "server_error"}),
    ModelRateLimitError(),
    pg.QueryCanceled(),
    pg.SerializationFailure(),
    pg.DeadlockDetected(),
    pg.AdminShutdown(),
    pg.TooManyConnections(),
    pg.LockNotAvailable(),
    psycopg.OperationalError("server closed the connection"),
    PoolTimeout("x"),
]
LASTING = [
    PermanentError(),
    ValueError(),
    KeyError("x"),
    TypeError(),
    FileNotFoundError(),
    asyncio.CancelledError(),
    BreakerOpen("x", 3),
    PaymentRefused("more than was paid"),
    DatabaseNotConfigured(),
    ModelMisconfigured(),
    ModelRejected("status 401"),
    ModelDown(("x",)),
    httpx.UnsupportedProtocol("x"),
    httpx2.LocalProtocolError("x"),
    http_status(404),
    openai_status(400),
    openai_status(401),
    openai_status(404),
    openai_status(429, "insufficient_quota"),
    openai.APIError("x", REQUEST, body={"type": "invalid_request_error"}),
    ContextOverflowError(),
    ModelRefusalError("x"),
    pg.UniqueViolation(),
    pg.CheckViolation(),
    pg.UndefinedTable(),
    pg.InvalidPassword(),
    psycopg.InterfaceError("x"),
]


@pytest.mark.parametrize("failure", PASSING, ids=repr)
def test_worth_another_try(failure: BaseException) -> None:
    assert is_transient(failure)


@pytest.mark.parametrize("failure", LASTING, ids=repr)
def test_not_worth_another_try(failure: BaseException) -> None:
    assert not is_transient(failure)


def test_nodes_retry_by_the_same_list_and_figures() -> None:
    assert RETRY.retry_on is is_transient
    assert (RETRY.max_attempts, RETRY.initial_interval, RETRY.backoff_factor) == (3, 0.5, 2.0)


def test_errors_say_what_they_are_without_a_message() -> None:
    assert str(ModelMisconfigured()) == "The name of a model, or what its provider needs, is wrong."
    assert str(ModelMisconfigured("set X")) == "set X"

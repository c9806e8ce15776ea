"""What callers are told of a failure, and what stays for logs and operators."""

import logging

import httpx
import psycopg
import pytest
from langgraph.runtime import Runtime

from agents.shared import database
from agents.shared.database import DatabaseUnavailable
from agents.shared.errors import PermanentError, TransientError, in_full, told
from agents.shared.models import ask
from agents.shared.offline import Reply
from agents.shared.payments.wire import Wire
from agents.shared.resilience import Retries, giving_up
from tests.fakes.openai_answers import Status
from tests.fakes.openai_server import OpenAIServer

ONCE = Retries(attempts=1)
SECRET = "10.9.8.7:5432 as role shop_owner"


def test_our_own_words_are_told_and_nothing_else() -> None:
    assert told(PermanentError("no", detail=SECRET)) == "PermanentError: no"
    assert told(TransientError("busy", detail=SECRET)) == "TransientError: busy"
    for other in (ConnectionResetError(SECRET), psycopg.OperationalError(SECRET), httpx.ReadError(SECRET)):
        assert told(other) == f"{type(other).__name__}: something that is needed for it failed"


def test_logs_have_all_of_it_on_one_line() -> None:
    caused = TransientError("away")
    caused.__cause__ = OSError("no\nroute")
    assert in_full(caused) == "TransientError: away (no route)"
    assert in_full(PermanentError("no", detail=SECRET)) == f"PermanentError: no ({SECRET})"
    assert in_full(OSError(SECRET)) == f"OSError: {SECRET}"


async def test_what_a_node_gives_up_on_is_logged_whole_and_told_in_part(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "agents.shared.resilience.giving_up"):
        async with giving_up(Runtime()) as given_up:
            raise psycopg.OperationalError(SECRET)
    assert SECRET not in given_up.reasons[0]
    assert SECRET in caplog.text


async def test_a_database_that_is_away_is_not_named() -> None:
    database.configure("postgresql://shop_owner@127.0.0.1:9/none?connect_timeout=1")
    try:
        with pytest.raises(DatabaseUnavailable) as caught:
            async with database.connection():
                pass
    finally:
        await database.close()
        database.configure(None)
    assert not any(word in told(caught.value) for word in ("127.0.0.1", "shop_owner", "none"))


async def test_a_payment_provider_is_not_repeated() -> None:
    """Nobody listens on port 9; the refusal of one that answers is in payments/test_over_http.py."""
    with pytest.raises(TransientError) as caught:
        await Wire("http://127.0.0.1:9", "key", retries=ONCE).post("refunds", "k", {}, lambda body: body)
    assert told(caught.value) == "PaymentUnavailable: payment provider not reached"
    assert caught.value.detail


async def test_what_a_models_provider_says_is_not_repeated(openai_server: OpenAIServer) -> None:
    openai_server.responder = lambda _: Status(401)
    answer = await ask(
        [("user", "hi")], node="n", models=["openai:told", "offline:rules"], rules=lambda _: Reply("ok")
    )
    (note,) = answer.degraded
    assert note.startswith("model openai:told down: status 401")
    assert "key" not in note.removeprefix("model openai:told down: status 401").replace("invalid_api_key", "")

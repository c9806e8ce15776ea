"""The embedding service: real processes on one Postgres, spoken to over HTTP."""

import asyncio
import json
import subprocess
import sys
import time
import uuid
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest

from tests.agents.support.client import wants_refund
from tests.fakes.agent_server import ROOT, clean_environment, free_port
from tests.fakes.shop import Ledger, lock_waiters, locked

START_TIMEOUT_S = 90.0
PERSON = "I want to talk to a person."
PATH = ["intake", "classify", "assess", "draft_reply", "hand_over", "send"]

Events = list[tuple[str, dict[str, Any]]]


@contextmanager
def serving(directory: Path, **env: str) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    """A uvicorn process with the service, and its URL; killed at the end."""
    port = free_port()
    log = directory / f"{port}.log"
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", "uvicorn", "examples.embedded.app:app", "--port", str(port)],
            cwd=ROOT,
            env=clean_environment({"STATIONMASTER_DATA_DIR": str(directory / "data"), **env}),
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    url = f"http://127.0.0.1:{port}"
    try:
        deadline = time.monotonic() + START_TIMEOUT_S
        while not answers(url):
            if process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(log.read_text())
            time.sleep(0.05)  # between two looks at the state that is waited for
        yield process, url
    finally:
        process.kill()
        process.wait()


def answers(url: str) -> bool:
    try:
        return httpx.get(f"{url}/openapi.json", timeout=5, trust_env=False).is_success
    except httpx.TransportError:
        return False


@pytest.fixture(scope="module")
def services(served_shop: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[str]]:
    """Two processes on one database."""
    directory = tmp_path_factory.mktemp("embedded")
    env = {"STATIONMASTER_DATABASE_URI": served_shop}
    with serving(directory, **env) as (_, one), serving(directory, **env) as (_, other):
        yield [one, other]


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False, timeout=60) as made:
        yield made


@pytest.fixture
def thread() -> str:
    return str(uuid.uuid4())


async def post(http: httpx.AsyncClient, url: str, body: Any = None) -> Events:
    """The events of a turn, to its end."""
    async with http.stream("POST", url, json=body) as response:
        assert response.status_code == 200, (await response.aread()).decode()
        return [event async for event in events(response)]


async def events(response: httpx.Response) -> AsyncIterator[tuple[str, dict[str, Any]]]:
    name = ""
    async for line in response.aiter_lines():
        key, _, value = line.partition(": ")
        if key == "event":
            name = value
        elif key == "data":
            yield name, json.loads(value)


def of(told: Events, name: str) -> list[dict[str, Any]]:
    return [data for event, data in told if event == name]


async def test_a_message_is_answered_word_by_word(
    services: list[str], http: httpx.AsyncClient, thread: str
) -> None:
    told = await post(http, f"{services[0]}/threads/{thread}/messages", {"text": PERSON})
    assert [data["name"] for data in of(told, "node")] == PATH
    tokens = [data["text"] for data in of(told, "token")]
    (message,) = of(told, "message")
    assert len(tokens) > 5
    assert "".join(tokens) == message["content"]
    assert told[-1] == ("done", {"outcome": "human"})
    shown = (await http.get(f"{services[1]}/threads/{thread}")).json()
    assert (shown["status"], [each["type"] for each in shown["messages"]]) == ("done", ["human", "ai"])


async def test_two_messages_at_once_take_turns_across_processes(
    services: list[str], http: httpx.AsyncClient, thread: str, served_shop: str
) -> None:
    """The first is held in its middle; the second, at the other process, does not begin until it has ended."""
    with locked(served_shop, "lock table shop.mails in exclusive mode"):
        first = asyncio.create_task(post(http, f"{services[0]}/threads/{thread}/messages", {"text": PERSON}))
        await lock_waiters(served_shop, like="%shop.mails%")
        second = asyncio.create_task(
            post(http, f"{services[1]}/threads/{thread}/messages", {"text": "How can I pay?"})
        )
        refused = await http.get(f"{services[1]}/threads/{thread}")  # meanwhile: reading needs no turn
        assert [each["type"] for each in refused.json()["messages"]] == ["human"]
        done, _ = await asyncio.wait({first, second}, timeout=0.5)
        assert not done
    await asyncio.gather(first, second)
    messages = (await http.get(f"{services[0]}/threads/{thread}")).json()["messages"]
    assert [each["type"] for each in messages] == ["human", "ai", "human", "ai"]
    assert messages[2]["content"] == "How can I pay?"


async def test_other_threads_do_not_wait(
    services: list[str], http: httpx.AsyncClient, thread: str, served_shop: str
) -> None:
    with locked(served_shop, "lock table shop.mails in exclusive mode"):
        held = asyncio.create_task(post(http, f"{services[0]}/threads/{thread}/messages", {"text": PERSON}))
        await lock_waiters(served_shop, like="%shop.mails%")
        told = await post(http, f"{services[0]}/threads/{uuid.uuid4()}/messages", {"text": "How can I pay?"})
        assert told[-1][0] == "done"
    assert (await held)[-1][0] == "done"


async def test_a_refund_waits_for_a_person_and_is_paid_once(
    services: list[str], http: httpx.AsyncClient, thread: str, served_shop: str, order_of: Callable[..., str]
) -> None:
    url = f"{services[0]}/threads/{thread}"
    told = await post(http, f"{url}/messages", {"text": wants_refund(order_of())})
    (question,) = told[-1][1]["questions"]
    assert question["value"]["title"].startswith("Refund $640.00")
    assert (await http.post(f"{url}/messages", json={"text": "Well?"})).status_code == 409
    assert (await http.post(f"{url}/answers", json={"other": 1})).status_code == 409

    answer = {question["id"]: {"action": "approve"}}
    clicks = await asyncio.gather(
        *(http.post(f"{service}/threads/{thread}/answers", json=answer) for service in services)
    )
    assert sorted(click.status_code for click in clicks) == [200, 409], "a double click is one answer"
    shown = (await http.get(url)).json()
    assert (shown["status"], shown["outcome"]) == ("done", "refunded")
    assert Ledger(served_shop).refunded_usd(thread) == [640]


async def test_a_client_that_goes_away_leaves_the_thread_free(
    services: list[str], http: httpx.AsyncClient, thread: str, served_shop: str
) -> None:
    with locked(served_shop, "lock table shop.mails in exclusive mode"):
        held = asyncio.create_task(post(http, f"{services[0]}/threads/{thread}/messages", {"text": PERSON}))
        await lock_waiters(served_shop, like="%shop.mails%")
        held.cancel()
        with pytest.raises(asyncio.CancelledError):
            await held
        await turn_was_cut_off(served_shop)
    told = await post(http, f"{services[1]}/threads/{thread}/continue")
    assert [data["name"] for data in of(told, "node")] == ["hand_over", "send"]
    assert Ledger(served_shop).mail_kinds(thread) == ["desk"]


async def turn_was_cut_off(uri: str) -> None:
    """Until the service has noticed that its client is gone: it waits for the mails' lock no longer."""
    query = "select count(*) from pg_locks where not granted and relation = 'shop.mails'::regclass"
    async with asyncio.timeout(30), await psycopg.AsyncConnection.connect(uri, autocommit=True) as conn:
        while True:
            row = await (await conn.execute(query)).fetchone()
            if row == (0,):
                return
            await asyncio.sleep(0.02)  # between two looks at the state that is waited for


@pytest.mark.slow
async def test_with_the_embedded_postgres_and_after_a_kill(
    http: httpx.AsyncClient, thread: str, tmp_path: Path
) -> None:
    """No database is named: it starts its own. What was saved when the process was killed is there for the next one."""
    with serving(tmp_path) as (process, url):
        told = await post(http, f"{url}/threads/{thread}/messages", {"text": PERSON})
        assert told[-1] == ("done", {"outcome": "human"})
        process.kill()
    with serving(tmp_path) as (process, url):
        told = await post(http, f"{url}/threads/{thread}/messages", {"text": PERSON})
        assert told[-1] == ("done", {"outcome": "human"})
        assert len((await http.get(f"{url}/threads/{thread}")).json()["messages"]) == 4
        process.terminate()
        await asyncio.to_thread(process.wait)
    assert (tmp_path / "data" / "postgres").is_dir()


async def test_what_is_refused(services: list[str], http: httpx.AsyncClient) -> None:
    assert (await http.post(f"{services[0]}/threads/x/messages", json={"text": PERSON})).status_code == 422
    url = f"{services[0]}/threads/{uuid.uuid4()}"
    assert (await http.post(f"{url}/messages", json={"text": ""})).status_code == 422
    answered = await http.post(f"{url}/answers", json={"x": 1})
    assert (answered.status_code, "pending: none" in answered.text) == (409, True)

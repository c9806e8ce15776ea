"""Webhooks: written with the end of a run, signed, sent until they arrive."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import pytest
from standardwebhooks import Webhook

from langgraph_runtime_community import database, supervision
from langgraph_runtime_community.hooks import sending, signing
from tests.fakes.agent_server import free_port
from tests.langgraph_runtime_community.conftest import HOOK_SECRET
from tests.langgraph_runtime_community.world import World, key

AFTER_A_KILL_S = 110
"""A webhook whose sender was killed is tried again by another one after a minute, twice if that one was, too."""


@dataclass
class Receiver:
    """Counts what comes, and answers with the next of `answers`, then with 200."""

    port: int = field(default_factory=free_port)
    answers: list[int] = field(default_factory=list)
    got: list[tuple[dict[str, str], dict[str, Any]]] = field(default_factory=list)
    came: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    async def of(self, run_id: str, count: int = 1, patience_s: float = 40) -> list[dict[str, Any]]:
        """The bodies that came for a run, once there are so many."""
        async with asyncio.timeout(patience_s):
            while len(found := [body for _, body in self.got if body["run_id"] == run_id]) < count:
                self.came.clear()
                await self.came.wait()
        return found

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")[1:]
        headers = {
            name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head if line)
        }
        body = await reader.readexactly(int(headers["content-length"]))
        Webhook(HOOK_SECRET).verify(body, headers)
        self.got.append((headers, json.loads(body)))
        self.came.set()
        status = self.answers.pop(0) if self.answers else 200
        writer.write(f"HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode())
        await writer.drain()
        writer.close()

    @asynccontextmanager
    async def listening(self) -> AsyncIterator["Receiver"]:
        server = await asyncio.start_server(self.answer, "127.0.0.1", self.port)
        async with server:
            yield self


async def test_one_that_nobody_could_try_for_days_is_not_given_up_at_once(runtime: str) -> None:
    """The servers were away; the tenth try of one that is so old is the last."""
    made = """INSERT INTO server.outbox (run_id, thread_id, url, payload, created_at)
        VALUES (gen_random_uuid(), gen_random_uuid(), 'http://127.0.0.1:9/x', '{}', now() - interval '3 days')"""
    await database.execute(made)
    params = {"limit": 5, "keep": 86_400, "least": sending.LEAST_TRIES, "busy": []}
    lasts = []
    for _ in range(sending.LEAST_TRIES):
        (row,) = await database.fetch(sending.QUERIES["claim"], params)
        lasts.append(row["last"])
        await database.execute("UPDATE server.outbox SET next_at = now()")
    assert lasts == [False] * (sending.LEAST_TRIES - 1) + [True]


@pytest.fixture
async def receiver() -> AsyncIterator[Receiver]:
    async with Receiver().listening() as listening:
        yield listening


@pytest.fixture
def world(served_database: str) -> World:
    return World(served_database)


async def test_a_waiting_thread_is_told_with_its_question(client: Any, receiver: Receiver) -> None:
    thread = (await client.threads.create())["thread_id"]
    body = {"key": key(), "question": "really?"}
    run = await client.runs.create(thread, "plain", input=body, webhook=receiver.url, metadata={"why": "x"})
    (hook,) = await receiver.of(run["run_id"])
    assert hook["status"] == "success" and hook["thread_status"] == "interrupted"
    assert hook["next"] == ["ask"] and hook["values"]["question"] == "really?"
    ((question,),) = hook["interrupts"].values()
    assert question["value"] == "really?"
    assert hook["thread_id"] == thread and hook["metadata"]["why"] == "x" and hook["webhook_sent_at"]
    headers = receiver.got[-1][0]
    assert headers["webhook-id"] and headers["webhook-signature"].startswith("v1,")


async def test_a_stateless_run_tells_its_end_too(client: Any, receiver: Receiver, world: World) -> None:
    run = await client.runs.create(None, "fan", input={"key": key(), "fails": "none"}, webhook=receiver.url)
    (hook,) = await receiver.of(run["run_id"])
    assert hook["status"] == "success" and hook["values"] is None
    assert not world.ask("SELECT 1 FROM server.threads WHERE thread_id = %s", run["thread_id"])
    run = await client.runs.create(None, "fan", input={"key": key(), "fails": "a"}, webhook=receiver.url)
    (hook,) = await receiver.of(run["run_id"])
    assert hook["status"] == "error" and hook["error"] == {"error": "ValueError", "message": "a fails"}


async def test_it_comes_again_under_the_same_id_until_it_is_taken(client: Any, world: World) -> None:
    receiver = Receiver(answers=[500, 503])
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(thread, "fan", input={"key": key(), "fails": "none"}, webhook=receiver.url)
    tries = "SELECT 1 FROM server.outbox WHERE run_id = %s AND last_error IS NOT NULL"
    await world.until(lambda: world.ask(tries, run["run_id"]), "a try while nobody listens")
    async with receiver.listening():
        await receiver.of(run["run_id"], 3)
        await world.until(
            lambda: not world.ask("SELECT 1 FROM server.outbox WHERE run_id = %s", run["run_id"]), "sent"
        )
    assert len({headers["webhook-id"] for headers, _ in receiver.got}) == 1


async def test_a_run_cancelled_in_the_queue_tells_nothing_one_at_work_does(
    client: Any, receiver: Receiver, world: World
) -> None:
    thread, name = (await client.threads.create())["thread_id"], key()
    first = await client.runs.create(
        thread, "steps", input={"key": name, "slow": 2, "seconds": 60.0}, webhook=receiver.url
    )
    await world.until(lambda: "step 2" in world.effects(name), "step 2 begins")
    second = await client.runs.create(thread, "steps", input={"key": key(), "slow": 0}, webhook=receiver.url)
    await client.runs.cancel(thread, second["run_id"])
    await client.runs.cancel(thread, first["run_id"], wait=True)
    (hook,) = await receiver.of(first["run_id"])
    assert hook["status"] == "interrupted" and hook["next"] == ["step_2"]
    assert not [body for _, body in receiver.got if body["run_id"] == second["run_id"]]


async def test_a_run_that_is_cancelled_while_its_worker_is_dead_tells_its_end_and_what_it_saved(
    client: Any, receiver: Receiver, world: World
) -> None:
    """The thread's row too: it would be as before the run until the next one."""
    thread, name = (await client.threads.create())["thread_id"], key()
    run = await client.runs.create(
        thread, "steps", input={"key": name, "slow": 4, "seconds": 30.0}, webhook=receiver.url
    )
    await world.until(lambda: world.saved_step(thread) == 3, "three steps are saved")
    world.change(
        "UPDATE server.runs SET worker_id = gen_random_uuid(), epoch = epoch + 1, cancel = 'interrupt',"
        " cancel_reason = 'enough' WHERE run_id = %s",
        run["run_id"],
    )
    (hook,) = await receiver.of(run["run_id"])
    assert hook["status"] == "interrupted" and "enough" in hook["error"]["message"]
    assert "kwargs" not in hook or hook["kwargs"]["input"]["key"] == name
    assert world.run(run["run_id"])["status"] == "interrupted"

    def told() -> Any:
        return world.ask("SELECT status, values FROM server.threads WHERE thread_id = %s", thread)[0][
            "values"
        ]

    values = await world.until(told, "the thread's row follows")
    assert values["done"] == [1, 2, 3]
    row = await client.threads.get(thread)
    assert row["status"] == "interrupted" and row["values"] == values
    assert name in str((await client.threads.search(values={"key": name}))[0]["values"])


async def test_a_poisoned_run_ends_as_an_error(client: Any, receiver: Receiver, world: World) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(
        thread, "steps", input={"key": key(), "slow": 0}, webhook=receiver.url, after_seconds=3600
    )
    world.change("UPDATE server.runs SET attempt = 3, due_at = now() WHERE run_id = %s", run["run_id"])
    (hook,) = await receiver.of(run["run_id"])
    assert hook["status"] == "error" and "max attempts" in hook["error"]["message"]
    assert world.run(run["run_id"])["status"] == "error"


@asynccontextmanager
async def bad(answer: bytes, drip: bytes = b"") -> AsyncIterator[str]:
    """The URL of a receiver that answers so, and then, if there is something to drip, never comes to an end."""

    handling: set[asyncio.Task[Any]] = set()

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if task := asyncio.current_task():
            handling.add(task)
        with suppress(ConnectionError, asyncio.CancelledError):
            await reader.readuntil(b"\r\n\r\n")
            writer.write(answer)
            while drip:
                writer.write(drip)
                await writer.drain()
                await asyncio.sleep(0.2)
        writer.close()

    async with await asyncio.start_server(handle, "127.0.0.1", 0) as server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/hook"
        for task in handling:
            task.cancel()
        await asyncio.gather(*handling)


def answered(status: int, *headers: str) -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status} X", *headers, "connection: close", "", ""]).encode()


@pytest.mark.parametrize(
    ("answer", "drip"),
    [
        (answered(307, "location: http://localhost:1/", "content-length: 0"), b""),
        (answered(200, "content-length: 1000000"), b"x"),
        (b"no HTTP at all\r\n\r\n", b""),
    ],
)
async def test_one_receiver_holds_up_no_other(
    client: Any, receiver: Receiver, world: World, answer: bytes, drip: bytes
) -> None:
    """Neither by a redirection that is refused, nor by an answer without end, however many webhooks it gets."""
    body = {"key": key(), "fails": "none"}
    async with bad(answer, drip) as url:
        runs = [await client.runs.create(None, "fan", input=body, webhook=url) for _ in range(8)]
        tried = "SELECT count(*) AS n FROM server.outbox WHERE run_id = ANY (%s::uuid[]) AND tries > 0"
        ids = [run["run_id"] for run in runs]
        await world.until(lambda: world.ask(tried, ids)[0]["n"] >= 5, "the bad one is tried")
        good = await client.runs.create(None, "fan", input=body, webhook=receiver.url)
        async with asyncio.timeout(10):
            await receiver.of(good["run_id"])
        if not drip:
            why = "SELECT 1 FROM server.outbox WHERE run_id = ANY (%s::uuid[]) AND last_error <> ''"
            await world.until(lambda: len(world.ask(why, ids)) == len(ids), "the reasons are noted")
    world.change("DELETE FROM server.outbox WHERE run_id = ANY (%s::uuid[])", ids)


async def test_an_answer_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch, stock_config: None) -> None:
    monkeypatch.setattr(sending, "WHOLE_TRY_S", 0.5)
    async with bad(answered(200, "content-length: 1000000"), b"x") as url:
        assert "no whole answer" in str(await sending.attempt("id", url, {}))


@pytest.mark.parametrize("secret", ["whsec_notbase64!", "whsec_"])
def test_a_secret_that_can_not_sign_is_told_at_the_start(
    secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(signing.SECRET, secret)
    with pytest.raises(RuntimeError, match=r"LG_WEBHOOK_SECRET can't be used .* base64"):
        signing.require_usable()


async def test_background_work_that_fails_begins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervision, "FIRST_PAUSE_S", 0.0)
    begun, again = 0, asyncio.Event()

    async def work() -> None:
        nonlocal begun
        begun += 1
        if begun == 3:
            again.set()
            await asyncio.Event().wait()
        raise ValueError("something that nobody thought of")

    task = asyncio.create_task(supervision.kept_up("work", work))
    async with asyncio.timeout(30):
        await again.wait()
    task.cancel()
    assert begun == 3

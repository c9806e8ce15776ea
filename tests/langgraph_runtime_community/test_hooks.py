"""Webhooks: written with the end of a run, signed, sent until they arrive."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from standardwebhooks import Webhook

from tests.fakes.agent_server import free_port
from tests.langgraph_runtime_community.conftest import HOOK_SECRET
from tests.langgraph_runtime_community.world import World, key


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

    async def of(self, run_id: str, count: int = 1) -> list[dict[str, Any]]:
        """The bodies that came for a run, once there are so many."""
        async with asyncio.timeout(40):
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


async def test_a_poisoned_run_ends_as_an_error(client: Any, receiver: Receiver, world: World) -> None:
    thread = (await client.threads.create())["thread_id"]
    run = await client.runs.create(
        thread, "steps", input={"key": key(), "slow": 0}, webhook=receiver.url, after_seconds=3600
    )
    world.change("UPDATE server.runs SET attempt = 3, due_at = now() WHERE run_id = %s", run["run_id"])
    (hook,) = await receiver.of(run["run_id"])
    assert hook["status"] == "error" and "max attempts" in hook["error"]["message"]
    assert world.run(run["run_id"])["status"] == "error"

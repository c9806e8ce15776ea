"""An Agent Server with the graphs that ask, behind the project's auth and webhooks; consoles, people, the ledger."""

import asyncio
import json
import os
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx

from stationmaster.reviews.access import tokens, users
from stationmaster.reviews.database import open_pool
from tests.fakes.agent_server import CONFIG, ROOT, AgentServer
from tests.fakes.console import ConsoleProcess
from tests.fakes.graphs import ledger
from tests.fakes.graphs.serving import CONFIG as GRAPHS

SECRET = "the-webhook-secret-of-the-tests"
HERE = Path(__file__).parent
_numbers = count(1)


def asking_server(directory: Path, effects: str, webhook_url: str | None = None) -> AgentServer:
    """Not started yet. Without `webhook_url` its runs have no webhook but what their caller names."""
    ledger.create(effects)
    config = {**json.loads(CONFIG.read_text()), "graphs": json.loads(GRAPHS.read_text())["graphs"]}
    path = directory / "langgraph.json"
    path.write_text(json.dumps(config))
    env = {
        ledger.VARIABLE: effects,
        "STATIONMASTER_DATABASE_URI": effects,
        "PYTHONPATH": os.pathsep.join((str(ROOT), str(ROOT / "src"))),
        "LG_WEBHOOK_SECRET": SECRET,
        **({"STATIONMASTER_WEBHOOK_URL": webhook_url} if webhook_url else {}),
    }
    return AgentServer(directory, env=env, config=path)


def console_for(server_url: str, database: str, directory: Path, **options: Any) -> ConsoleProcess:
    """Not started yet; with the policies of these tests."""
    policies = directory / "policies"
    policies.mkdir(parents=True, exist_ok=True)
    (policies / "tests.yaml").write_text((HERE / "policies.yaml").read_text())
    env = {"LG_WEBHOOK_SECRET": SECRET, "STATIONMASTER_POLICIES": str(policies)}
    return ConsoleProcess(directory, server_url, database, env=env, **options)


async def token_of(database: str, name: str, *groups: str, role: str = "reviewer") -> str:
    """A token of a user, who is made if need be; of the group `desk` unless said."""
    async with open_pool(database, max_size=1) as pool:
        if name not in {user.name for user in await users.everybody(pool)}:
            await users.add(pool, name, roles=[role], groups=groups or ["desk"])
        made, _ = await tokens.create(pool, name, f"test {next(_numbers)}")
    return made


@dataclass
class World:
    """A server, the consoles beside it on one database, and one ledger key."""

    server: AgentServer
    consoles: list[ConsoleProcess]
    effects: str
    key: str = field(default_factory=lambda: f"key-{os.getpid()}-{next(_numbers)}")

    @property
    def console(self) -> ConsoleProcess:
        return self.consoles[0]

    async def ask(self, graph: str, **values: Any) -> str:
        """A new thread, on which the graph has run until it asks; its id."""
        async with self.server.sdk() as client:
            thread = await client.threads.create()
        await self.run(thread["thread_id"], graph, input={"key": self.key, **values})
        return thread["thread_id"]

    async def run(self, thread_id: str, graph: str, **options: Any) -> Any:
        async with self.server.sdk() as client:
            return await client.runs.wait(thread_id, graph, raise_error=False, **options)

    async def token(self, name: str, *groups: str, role: str = "reviewer") -> str:
        return await token_of(self.console.database, name, *groups, role=role)

    async def decide(
        self, review_id: str, answer: Any, token: str | None = None, *, console: int = 0, **more: Any
    ) -> httpx.Response:
        """The request, without a window to undo it; `more` are headers, or `undo_s`."""
        body = {"decision": "answer", "answer": answer, "undo_s": more.pop("undo_s", 0)}
        headers = {name.replace("_", "-"): value for name, value in more.items()}
        async with self.consoles[console].client(token) as http:
            return await http.post(f"/reviews/{review_id}/decide", json=body, headers=headers)

    def done(self, key: str | None = None) -> list[Any]:
        """What the graphs did for the key, as (effect, detail)."""
        return ledger.read(self.effects, key or self.key)


async def eventually(true: Callable[[], bool | Awaitable[bool]], what: str, timeout_s: float = 60) -> None:
    """Wait for a state; AssertionError names the one that never came."""
    deadline = time.monotonic() + timeout_s
    while True:
        found = true()
        if found if isinstance(found, bool) else await found:
            return
        assert time.monotonic() < deadline, f"never {what}"
        await asyncio.sleep(0.05)  # between two looks at the state that is waited for

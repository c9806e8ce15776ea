"""A host that is a child process (child.py), spoken to by lines of JSON."""

import asyncio
import itertools
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

from tests.fakes.agent_server import ROOT, clean_environment
from tests.labs.hosts import Thread, graph_of


@dataclass
class Child:
    """`kept_in` is "memory" or the URI of a database with the saver's tables."""

    kept_in: str
    env: dict[str, str] = field(default_factory=dict)
    _process: Process | None = None
    _waiting: dict[str, asyncio.Future[dict[str, Any]]] = field(default_factory=dict)
    _reading: asyncio.Task[None] | None = None
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    async def start(self, env: Mapping[str, str] | None = None) -> None:
        self.env.update(env or {})
        ready = self._waiting["ready"] = asyncio.get_running_loop().create_future()
        self._process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "tests.labs.child", self.kept_in,
            cwd=ROOT, env=clean_environment(self.env), stdin=PIPE, stdout=PIPE,
        )  # fmt: skip
        self._reading = asyncio.create_task(self._read(self._process))
        await ready

    async def kill(self) -> None:
        if self._process is not None and self._reading is not None:
            self._process.kill()
            await self._process.wait()
            await self._reading
            self._process = None

    async def thread(self) -> str:
        return str(uuid4())

    async def run(self, thread: str, graph: str, **given: Any) -> Thread:
        return await self._ask(thread, graph, **given)

    async def go_on(self, thread: str, graph: str) -> Thread:
        return await self.run(thread, graph, input=None)

    async def look(self, thread: str, graph: str) -> Thread:
        return await self._ask(thread, graph, look=True)

    async def _ask(self, thread: str, graph: str, **given: Any) -> Thread:
        assert self._process is not None and self._process.stdin is not None
        number = str(next(self._numbers))
        answer = self._waiting[number] = asyncio.get_running_loop().create_future()
        line = {"id": number, "graph": graph_of(graph), "thread": thread, **given}
        self._process.stdin.write(json.dumps(line).encode() + b"\n")
        found = await answer
        return Thread(found["values"], tuple(found["next"]), tuple(found["asks"]), found["error"])

    async def _read(self, process: Process) -> None:
        """Whoever still waits when the process is gone hears so."""
        assert process.stdout is not None
        async for line in process.stdout:
            answer = json.loads(line)
            self._waiting.pop(answer["id"]).set_result(answer)
        for waiting in self._waiting.values():
            waiting.set_exception(ConnectionError("the process ended"))
        self._waiting.clear()

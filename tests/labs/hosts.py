"""Where a graph can live: a process with the memory saver or with the saver on Postgres, `langgraph dev`, or the
durable runtime. A scenario speaks to all of them in the same words, so that its small case is the full size's
very code.
"""

import asyncio
import itertools
import json
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from tests.fakes.agent_server import ROOT, AgentServer, clean_environment

SERVED = Path(__file__).with_name("served") / "langgraph.json"
AT_ONCE = 20


@dataclass(frozen=True)
class Thread:
    """What is known of a thread: its values, the nodes that come next, what it asks; how its last run failed.

    Nothing at all, where it is not known.
    """

    values: dict[str, Any] = field(default_factory=dict)
    next: tuple[str, ...] = ()
    asks: tuple[Any, ...] = ()
    error: str | None = None


class Host(Protocol):
    """Runs graphs, which are named as in served/langgraph.json."""

    async def start(self, env: Mapping[str, str] | None = None) -> None:
        """Begin, or begin again after an end, with `env` from now on."""
        ...

    async def kill(self) -> None:
        """`kill -9`."""
        ...

    async def thread(self) -> str:
        """The id of a new thread."""
        ...

    async def run(self, thread: str, graph: str, **given: Any) -> Thread:
        """`input=` or `resume=`, to the end, the next question, or the error; `input=None` goes on."""
        ...

    async def go_on(self, thread: str, graph: str) -> Thread:
        """After an end: what was under way, to its end."""
        ...

    async def look(self, thread: str, graph: str) -> Thread:
        """The thread as it is now."""
        ...


def graph_of(name: str) -> str:
    """ "module:attribute" of a served graph."""
    return json.loads(SERVED.read_text())["graphs"][name]


@dataclass
class Child:
    """A child process (tests/labs/child.py); `kept_in` is "memory" or the URI of a database with the saver's tables."""

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


@dataclass
class Served:
    """A server on either runtime. `fresh`: each start is a new container, without the files of the one before."""

    server: AgentServer
    fresh: bool = False
    _starts: Iterator[int] = field(default_factory=itertools.count)
    _client: LangGraphClient | None = None

    @property
    def client(self) -> LangGraphClient:
        """One for all that is asked between a start and its end."""
        assert self._client is not None, "start the host first"
        return self._client

    async def start(self, env: Mapping[str, str] | None = None) -> None:
        self.server.env.update(env or {})
        if self.fresh:
            self.server.directory = self.server.directory.parent / f"container-{next(self._starts)}"
        await self.server.start()
        self._client = self.server.sdk()

    async def kill(self) -> None:
        if self._client is not None:
            await self.server.sigkill()
            await self._client.aclose()
            self._client = None

    async def thread(self) -> str:
        return (await self.client.threads.create())["thread_id"]

    async def run(self, thread: str, graph: str, **given: Any) -> Thread:
        resumed = "resume" in given
        options: Any = {"command": {"resume": given["resume"]}} if resumed else {"input": given["input"]}
        ended: Any = await self.client.runs.wait(thread, graph, raise_error=False, **options)
        failed = ended.get("__error__") if isinstance(ended, dict) else None
        return replace(await self.look(thread, graph), error=failed["error"] if failed else None)

    async def go_on(self, thread: str, graph: str) -> Thread:
        """Nobody has to say so: what was accepted goes on by itself, where it was kept."""
        if (found := await self.look(thread, graph)).values:
            for run in await self.client.runs.list(thread):
                await self.client.runs.join(thread, run["run_id"])
            found = await self.look(thread, graph)
        return found

    async def look(self, thread: str, graph: str) -> Thread:
        try:
            state: Any = await self.client.threads.get_state(thread)
        except NotFoundError:
            return Thread()
        asks = tuple(each["value"] for each in state["interrupts"])
        return Thread(dict(state["values"] or {}), tuple(state["next"]), asks)


async def at_once(*calls: Any, width: int = AT_ONCE) -> list[Any]:
    """The results of all calls in their order, `width` of them at a time."""
    gate = asyncio.Semaphore(width)

    async def one(call: Any) -> Any:
        async with gate:
            return await call

    return await asyncio.gather(*(one(call) for call in calls))

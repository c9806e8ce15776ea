"""A host that is a server, spoken to by the SDK."""

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from langgraph_sdk.client import LangGraphClient
from langgraph_sdk.errors import NotFoundError

from tests.fakes.agent_server import AgentServer
from tests.labs.hosts import Thread


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

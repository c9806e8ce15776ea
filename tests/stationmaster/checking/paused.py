"""A deployment in this process: threads of a release that wait, told as the server's SDK tells them."""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.types import Command
from langgraph_api.state import patch_interrupt
from langgraph_sdk.client import LangGraphClient

from stationmaster.checking.against.breaking import Break
from stationmaster.checking.against.comparing import judges_of
from stationmaster.checking.against.waiting import Waiting, waiting
from stationmaster.checking.audit import Whole
from stationmaster.checking.loading import load
from stationmaster.server.stock import Project
from tests.fakes.graphs import releases
from tests.stationmaster.checking.auditing import CHECKED, path_kept

MODULE = "tests.fakes.graphs.releases"


@dataclass
class Deployment:
    """The threads of one graph. It answers what the comparison asks of a client, and counts it."""

    graph: str = "old"
    saver: InMemorySaver = field(default_factory=InMemorySaver)
    threads: list[str] = field(default_factory=list)
    asked_for_state: list[str] = field(default_factory=list)
    statuses: dict[str, str] = field(default_factory=dict)

    @property
    def running(self) -> Any:
        return getattr(releases, self.graph).copy({"checkpointer": self.saver})

    async def pause(self, thread_id: str, *answers: Any, status: str = "interrupted") -> None:
        """A thread of its own, brought to its question behind these answers."""
        config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
        await self.running.ainvoke({"notes": [thread_id]}, config)
        for answer in answers:
            pending = (await self.running.aget_state(config)).interrupts[0]
            await self.running.ainvoke(Command(resume={pending.id: answer}), config)
        self.threads.append(thread_id)
        self.statuses[thread_id] = status

    async def search(
        self, *, limit: int, offset: int = 0, status: str | None = None, ids: Any = None, **_: Any
    ) -> list[Any]:
        names = [each for each in self.threads if (status is None or self.statuses[each] == status)]
        names = [each for each in names if ids is None or each in ids]
        return [await self._row(each) for each in names[offset : offset + limit]]

    async def get_state(self, thread_id: str, *, subgraphs: bool) -> dict[str, Any]:
        self.asked_for_state.append(thread_id)
        found = await self.running.aget_state({"configurable": {"thread_id": thread_id}}, subgraphs=subgraphs)
        return _state(found)

    async def _row(self, thread_id: str) -> dict[str, Any]:
        found = await self.running.aget_state({"configurable": {"thread_id": thread_id}})
        questions = {task.id: [patch_interrupt(each) for each in task.interrupts] for task in found.tasks}
        values = found.values if isinstance(found.values, Mapping) else dict(found.values)
        return {
            "thread_id": thread_id, "status": self.statuses[thread_id], "metadata": {"graph_id": "g"},
            "values": json.loads(json.dumps(values)),
            "interrupts": json.loads(json.dumps({task: each for task, each in questions.items() if each})),
        }  # fmt: skip

    async def against(self, release: str) -> list[Break]:
        """What would break under a release of the module."""
        judges = judges_of(await asyncio.to_thread(whole_of, release))
        client = cast("LangGraphClient", _Client(self))
        judge, lost = (
            judges["g"],
            not {*getattr(releases, self.graph).builder.nodes} <= {*judges["g"].top.nodes},
        )

        def matters(thread: Waiting) -> bool:
            return lost or judge.might_lack(thread)

        found = await waiting(client, {"g": list(judges["g"].top.nodes)}, matters=matters)
        return [each for thread in found.threads for each in judges["g"].breaks(thread)]


@dataclass
class _Client:
    threads: Deployment


def whole_of(release: str, module: str = MODULE) -> Whole:
    """This code, with one graph called g."""
    project = Project(CHECKED.parent, {"graphs": {"g": f"{module}:{release}"}})
    with path_kept():
        return Whole(project, load(project), 30)


def _state(found: Any) -> dict[str, Any]:
    tasks = [
        {
            "name": task.name, "id": task.id, "interrupts": [{"id": each.id} for each in task.interrupts],
            "state": _state(task.state) if hasattr(task.state, "tasks") else None,
        }
        for task in found.tasks
    ]  # fmt: skip
    return {"next": list(found.next), "tasks": tasks, "values": json.loads(json.dumps(found.values))}

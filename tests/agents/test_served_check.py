"""`stationmaster check --against` our own deployment: what waits there waits on, and a renamed gate is seen."""

import asyncio
from collections.abc import Callable

from langgraph_sdk.client import LangGraphClient

from stationmaster.checking.against.comparing import Compared, compare
from stationmaster.checking.audit import Whole
from stationmaster.checking.loading import load
from stationmaster.server.stock import Project, read_project
from tests.agents.thread import ServedThread
from tests.fakes.agent_server import ROOT, AgentServer
from tests.stationmaster.checking.auditing import path_kept


async def against(served: AgentServer, project: Project) -> Compared:
    def loaded() -> Whole:
        with path_kept():
            return Whole(project, load(project), 30)

    return await compare(await asyncio.to_thread(loaded), served.url, None)


async def test_a_thread_at_the_gate(
    served: AgentServer, client: LangGraphClient, order_of: Callable[..., str]
) -> None:
    thread = await ServedThread.begin(client, "support")
    text = f"Order {order_of(640)} arrived broken, please refund it."
    await thread.run(input={"messages": [{"role": "user", "content": text}]})
    asked = (await thread.question())["id"]

    same = await against(served, read_project(ROOT))
    assert [each for each in same.breaks if each.thread_id == thread.thread_id] == []

    later = Project(ROOT, {"graphs": {"support": "tests.fakes.graphs.releases:old"}, "dependencies": ["."]})
    (found,) = [each for each in (await against(served, later)).breaks if each.thread_id == thread.thread_id]
    assert (found.reason.name, found.node, found.interrupts) == ("node-gone", "approve", (asked,))
    assert found.graph == "support"

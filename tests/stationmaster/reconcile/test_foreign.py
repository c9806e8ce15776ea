"""A server without our handlers: the same plans, and what it can't promise is said."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import replace

import httpx
import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.reconcile.diff import Desired
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.reconciling import Wish, apply, look
from stationmaster.reconcile.remarks import remarks
from stationmaster.reconcile.resources import Assistant, Cron, Signature
from tests.fakes.agent_server import ROOT, AgentServer
from tests.fakes.graphs.serving import CONFIG
from tests.stationmaster.reconcile.conftest import Served
from tests.stationmaster.reconcile.wire import Wire

BY = Signature("ana", "test")
A = Assistant("a", "stamped", "x", {"k": 1}, 9, ("t",), {"team": "x"})
K = Cron("k", "a", "0 9 * * *", thread="daily")


@pytest.fixture(scope="module")
def stock(tmp_path_factory: pytest.TempPathFactory) -> Iterator[AgentServer]:
    server = AgentServer(tmp_path_factory.mktemp("stock"), env={"PYTHONPATH": str(ROOT)}, config=CONFIG)
    server.start_blocking()
    yield server
    server.stop_blocking(9)


@pytest.fixture
async def foreign(stock: AgentServer) -> AsyncIterator[Served]:
    wire = Wire(httpx.AsyncHTTPTransport())
    async with httpx.AsyncClient(base_url=stock.url, transport=wire) as http, stock.sdk() as others:
        yield Served(Gateway(LangGraphClient(http), stock.url), wire, others, stock.url)


async def test_a_plan_is_carried_out_and_nothing_is_left_to_do(foreign: Served) -> None:
    wish = Wish(Desired((A,), (K,)))
    made = await look(wish, foreign.gateway)
    assert await foreign.gateway.server() == "foreign"
    said = " ".join(remarks(made, await foreign.gateway.server()))
    assert "overlap, missed and keep of 1 cron are not enforced" in said
    assert "can't promise exactly one run a slot" in said
    assert [each.status async for each in apply(wish, foreign.gateway, BY)] == ["done", "done"]
    assert (await look(wish, foreign.gateway)).changes == ()


async def test_a_version_that_was_written_in_the_same_moment_is_told(foreign: Served) -> None:
    wish = Wish(Desired((A,), (K,)))
    assert all([each.status == "done" async for each in apply(wish, foreign.gateway, BY)])
    before = await foreign.gateway.assistant(A.assistant_id)
    assert before is not None

    async def meanwhile(request: httpx.Request) -> None:
        if request.method == "PATCH":
            await foreign.others.assistants.update(A.assistant_id, metadata={"x": 1})

    foreign.wire.before_write = meanwhile
    edited = Wish(Desired((replace(A, description="New"),), (K,)))
    (outcome,) = [each async for each in apply(edited, foreign.gateway, BY)]
    assert outcome.status == "failed"
    theirs, ours = before.version + 1, before.version + 2
    assert (
        f"version {theirs} was written by somebody else in the same moment, and version {ours}"
        in outcome.detail
    )

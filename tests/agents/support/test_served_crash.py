"""Clean stops and `kill -9` between question, answer and payment: the money moves once."""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.agents.support.client import Conversation, every
from tests.fakes.agent_server import AgentServer, agent_server
from tests.fakes.payment_provider import Hang, PaymentProvider
from tests.fakes.shop import Ledger

APPROVE = {"action": "approve"}
STATE = ".langgraph_api"


@dataclass(frozen=True)
class Stopped:
    """Where a server was stopped cleanly while tickets waited at the gate, for $640 each.

    A clean stop, because the in-memory runtime writes checkpoints to disk at no other time; every ten seconds
    it writes its runs and threads only. A kill takes checkpoints back to the last clean stop.
    """

    directory: Path
    shop: str
    talks: dict[str, Conversation]


@pytest.fixture(scope="module")
def stopped(
    served_shop: str, order_of: Callable[..., str], tmp_path_factory: pytest.TempPathFactory
) -> Stopped:
    async def pause_and_stop() -> dict[str, Conversation]:
        async with agent_server(directory, env=env) as server, server.sdk() as client:
            talks = {
                name: await Conversation.open(client, f"crash-{name}", order_id=order_of())
                for name in ("answered", "waiting", "cut", "paying")
            }
            await every(talk.want_refund() for talk in talks.values())
            await server.sigterm()
        return talks

    directory, env = tmp_path_factory.mktemp("stopped"), {"STATIONMASTER_DATABASE_URI": served_shop}
    return Stopped(directory, served_shop, asyncio.run(pause_and_stop()))


@pytest.fixture
def provider() -> Iterator[PaymentProvider]:
    with PaymentProvider.running() as running:
        yield running


@asynccontextmanager
async def restarted(
    stopped: Stopped, directory: Path, provider: PaymentProvider
) -> AsyncIterator[AgentServer]:
    """A server that goes on in `directory` where the stopped one ended, and pays through `provider`."""
    shutil.copytree(stopped.directory / STATE, directory / STATE)
    payments = {"PAYMENTS_URL": provider.url, "PAYMENTS_API_KEY": provider.api_key}
    async with agent_server(
        directory, env={"STATIONMASTER_DATABASE_URI": stopped.shop, **payments}
    ) as server:
        yield server


async def runs_saved(server: AgentServer) -> None:
    """Wait until the runs and threads of this moment are on the runtime's disk."""
    since = time.time_ns()
    async with asyncio.timeout(30):
        while True:
            if (server.directory / STATE / ".langgraph_ops.pckl").stat().st_mtime_ns > since:
                return
            await asyncio.sleep(0.05)  # between two looks at what is waited for


async def pay_and_hang(talk: Conversation, provider: PaymentProvider) -> None:
    """Approve, and return when the provider has recorded the refund and says nothing."""
    provider.script(Hang(recorded=True))
    await talk.start(command=await talk.resume(APPROVE))
    assert await asyncio.to_thread(provider.hanging.wait, 20)
    assert talk.order_id in [refund.order_id for refund in provider.refunds]


def assert_paid_once(talk: Conversation, provider: PaymentProvider, ledger: Ledger) -> None:
    (paid,) = [refund for refund in provider.refunds if refund.order_id == talk.order_id]
    (row,) = ledger.refunds(talk.ticket_id)
    assert (paid.amount, row["amount_usd"], row["reference"]) == ("640.00", 640, paid.id)
    assert ledger.mail_kinds(talk.ticket_id) == ["acknowledge", "reply"]


@pytest.mark.slow
async def test_questions_outlive_a_clean_stop_and_a_kill(
    stopped: Stopped, order_of: Callable[..., str], tmp_path: Path, provider: PaymentProvider, ledger: Ledger
) -> None:
    """The runtime forgets what happened between its restart and its kill; the shop and the provider do not."""
    async with restarted(stopped, tmp_path, provider) as server:
        async with server.sdk() as client:
            answered, waiting, cut = (
                stopped.talks[name].by(client) for name in ("answered", "waiting", "cut")
            )
            forgotten = await Conversation.open(client, "crash-forgotten", order_id=order_of())
            values, _ = await every([answered.answer(APPROVE), forgotten.want_refund()])
            assert values["outcome"] == "refunded"
            await pay_and_hang(cut, provider)
        await server.sigkill()
        assert not ledger.refunds(cut.ticket_id), "the crash came before anybody here knew"
        await server.restart()
        async with server.sdk() as client:
            again = await Conversation.open(client, forgotten.ticket_id, order_id=forgotten.order_id)
            await again.want_refund()
            asked = [again, *(talk.by(client) for talk in (answered, waiting, cut))]
            for values in await every(talk.answer(APPROVE) for talk in asked):
                assert values["outcome"] == "refunded"
    for talk in asked:
        assert_paid_once(talk, provider, ledger)


async def test_a_run_that_was_killed_after_the_payment_comes_back_and_ends(
    stopped: Stopped, tmp_path: Path, provider: PaymentProvider, ledger: Ledger
) -> None:
    async with restarted(stopped, tmp_path, provider) as server:
        async with server.sdk() as client:
            await pay_and_hang(stopped.talks["paying"].by(client), provider)
            await runs_saved(server)
        await server.sigkill()
        await server.restart()
        async with server.sdk() as client:
            talk = stopped.talks["paying"].by(client)
            run, *_ = await client.runs.list(talk.thread_id)
            await talk.join(run["run_id"])
            state = await talk.state()
    assert (state["next"], state["values"]["outcome"]) == ([], "refunded")
    assert_paid_once(talk, provider, ledger)
    assert len({asked.key for asked in provider.asked}) == 1
    assert len(provider.asked) == 2

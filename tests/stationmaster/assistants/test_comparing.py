"""The arms of a canary compared: from real runs, their webhooks and their reviews; and the arithmetic."""

import asyncio
from io import StringIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph_sdk.client import LangGraphClient
from rich.console import Console

from stationmaster.assistants import canaries
from stationmaster.assistants.comparing import ArmReport, Report, compare, cost_since, running
from stationmaster.assistants.errors import NoCanary
from stationmaster.assistants.impact import impact_of
from stationmaster.assistants.rates import Rate, told_apart
from stationmaster.assistants.routes import Routes
from stationmaster.assistants.threads import Thread
from stationmaster.cli.canary_shown import print_report
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reviews.agent_server import connect
from stationmaster.reviews.database import Pool
from stationmaster.reviews.desk import Desk
from tests.fakes.agent_server import AgentServer
from tests.stationmaster.assistants.conftest import made
from tests.stationmaster.assistants.serving import resume, run
from tests.webhooks.receiving import reception, settings, until
from tests.webhooks.test_worker import Everybody
from webhooks import receiver, worker

ANSWERED = """update reviews.reviews set state = 'decided', decided_by = 'ben', decided_at = now(),
    decision = %(decision)s, edits = %(edits)s, answer = '1', resume = '1' where thread_id = %(thread_id)s"""


async def counted(pool: Pool) -> int:
    async with pool.connection() as conn:
        row = await (await conn.execute("select count(*) as n from assistants.canary_runs")).fetchone()
    return row["n"] if row else 0


async def answer(pool: Pool, thread_id: str, decision: str, edits: str | None = None) -> None:
    async with pool.connection() as conn:
        said = {"thread_id": thread_id, "decision": decision, "edits": edits}
        assert (await conn.execute(ANSWERED, said)).rowcount == 1


async def test_arms_are_compared_by_what_really_happened(
    configured: AgentServer, gateway: Gateway, sdk: LangGraphClient, database: str, name: str
) -> None:
    live = await made(gateway, name)
    await made(gateway, f"{name}-next", context={"tone": "brief"})
    async with reception(database, settings(secret=None, more=())) as console:
        hook = f"http://127.0.0.1:{console.port}{receiver.PATH}"

        async def ran(thread_id: str | None, **asked: Any) -> tuple[str, str]:
            row = await run(sdk, live.assistant_id, thread_id, webhook=hook, **asked)
            return row["metadata"]["canary"]["arm"], row["thread_id"]

        old_thread = (await run(sdk, live.assistant_id))["thread_id"]  # its cost began before the canary
        await canaries.start(gateway, f"{name}={name}-next:50%", "anna", "")
        rows = await asyncio.gather(
            ran(old_thread, input={"ask": True}), *(ran(None, input={"ask": True}) for _ in range(11))
        )
        threads = {arm: [thread for where, thread in rows if where == arm] for arm in ("live", "canary")}
        assert min(map(len, threads.values())) >= 1
        await resume(sdk, live.assistant_id, threads["canary"][0], "fail", webhook=hook)
        await until(lambda: has(console.pool, 13))
        async with connect(configured.url) as server:
            await worker.work_due(Desk(console.pool, server, Everybody(), "tests"))
        first, *others = threads["live"]
        await answer(console.pool, first, "approve", '{"amount": {"before": 2, "after": 1}}')
        for each in others:
            await answer(console.pool, each, "reject")
        report = await compare(gateway, console.pool, name)
        impact = await impact_of(gateway, console.pool, live)
    one, two = report.arms
    assert (one.assistant, two.assistant, report.canary.share) == (name, f"{name}-next", 0.5)
    assert (one.runs, one.threads) == (len(threads["live"]), len(threads["live"]))
    assert (two.runs, two.threads) == (len(threads["canary"]) + 1, len(threads["canary"]))
    assert (one.versions, two.versions) == ((2,), (1,))
    assert (one.errors, two.errors) == (Rate(0, one.runs), Rate(1, two.runs))
    assert (one.asked, one.edited.count, one.rejected.count, one.waiting) == (one.runs, 1, len(others), 0)
    assert two.waiting == two.asked
    assert report.observed == Rate(two.threads, 12)
    assert one.seconds_p50 is not None
    assert 0 < one.seconds_p50 <= (one.seconds_p95 or 0) < 60
    new = [thread for thread in threads["live"] if thread != old_thread]
    assert one.cost.threads == len(new)
    assert two.cost.usd_per_thread == pytest.approx(0.01)
    assert (impact.known_from, impact.waiting, impact.by_version) == ("reviews", 12, {2: 12})


async def has(pool: Pool, count: int) -> bool:
    return await counted(pool) >= count


async def test_without_a_canary_there_is_nothing_to_compare(
    gateway: Gateway, database: str, name: str
) -> None:
    await made(gateway, name)
    async with reception(database, settings()) as console:
        with pytest.raises(NoCanary, match=r"start one with .*=OTHER:10% --reason"):
            await compare(gateway, console.pool, name)


async def test_what_runs_is_listed(gateway: Gateway, name: str) -> None:
    await made(gateway, name)
    await made(gateway, f"{name}-next", context={"tone": "brief"})
    await canaries.start(gateway, f"{name}={name}-next:5%", "anna", "")
    found = {each.known_as: routes for each, routes in await running(gateway)}
    assert name in found
    assert f"{name}-next" not in found
    assert found[name].canary


@given(of=st.integers(1, 100_000), data=st.data())
def test_a_rate_lies_within_its_bounds(of: int, data: st.DataObject) -> None:
    rate = Rate(data.draw(st.integers(0, of)), of)
    assert rate.share is not None and rate.low is not None and rate.high is not None
    assert 0 <= rate.low <= rate.share + 1e-12
    assert rate.share - 1e-12 <= rate.high <= 1


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (Rate(0, 0), Rate(5, 10), None),
        (Rate(1, 3), Rate(2, 3), False),
        (Rate(10, 100), Rate(12, 100), False),
        (Rate(10, 1000), Rate(40, 1000), True),
        (Rate(0, 1000), Rate(0, 1000), False),
        (Rate(0, 20), Rate(20, 20), True),
    ],
)
def test_chance_is_not_taken_for_a_difference(one: Rate, other: Rate, told: bool | None) -> None:
    assert told_apart(one, other) is told
    assert told_apart(other, one) is told


RATES = ("errors", "approved", "edited", "rejected")


@pytest.mark.parametrize(
    "unread", [None, "", "yesterday", 7, ["x"], "2026-11-30T12:00:00", "9999-99-99T00:00:00+00:00"]
)
def test_a_beginning_that_can_not_be_read_is_told_without_costs(unread: object) -> None:
    """Somebody wrote there: the canary goes on, and all is told that needs no beginning."""
    began = "2026-11-30T12:00:00+00:00"
    kept = {
        "id": "c1",
        "assistant": "next",
        "assistant_id": "a",
        "share": 0.1,
        "started_at": began,
        "by": "ana",
    }
    seen = Thread("t", began, {"m": {"usd": 1.0}})
    for started_at, usd in ((began, 1.0), (unread, None)):
        canary = Routes.of({"canary": {**kept, "started_at": started_at}}).canary
        assert canary is not None and cost_since(canary, [seen]).usd_per_thread == usd
        arms = [
            ArmReport(
                arm, arm, (), 0, 0, rate, 0, 0, rate, rate, rate, None, None, cost_since(canary, []), None
            )
            for arm, rate in (("live", Rate(0, 0)), ("canary", Rate(0, 0)))
        ]
        print_report(
            Console(file=StringIO()), Report("live", canary, (arms[0], arms[1]), dict.fromkeys(RATES))
        )

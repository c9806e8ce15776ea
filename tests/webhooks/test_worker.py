"""The worker of deliveries: one look a thread, whatever fails is tried again, and what never works is shown."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from datetime import datetime
from typing import Any, cast
from uuid import uuid4

import psycopg
import pytest
from langgraph_sdk.client import LangGraphClient

from stationmaster.reviews.agent_server import AgentServer, connect
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.errors import AgentServerUnavailable
from stationmaster.reviews.model import Checkpoint, Facts, Gone, RunInfo, Stamp, ThreadSnapshot
from tests.fakes.agent_server import free_port
from tests.webhooks.receiving import Reception, bearer, hook, until
from webhooks import worker


class Everybody:
    """No policy: whoever reviews."""

    def stamp(self, facts: Facts, now: datetime) -> Stamp:
        return Stamp()


class Threads(AgentServer):
    """An Agent Server whose threads have nothing to ask; counts the looks, and fails where it is told to."""

    def __init__(self) -> None:
        super().__init__(cast("LangGraphClient", None), "http://nowhere")
        self.looks: list[str] = []
        self.failing: dict[str, Exception] = {}
        self.runs: tuple[RunInfo, ...] = ()

    async def read(self, thread_id: str, run_ids: Iterable[str] = ()) -> ThreadSnapshot | Gone:
        self.looks.append(thread_id)
        if thread_id in self.failing:
            raise self.failing[thread_id]
        return ThreadSnapshot(thread_id, "idle", Checkpoint("c"), self.runs)


@pytest.fixture
def threads() -> Threads:
    return Threads()


@pytest.fixture
def desk(guarded: Reception, threads: Threads) -> Desk:
    return Desk(guarded.pool, threads, Everybody(), "tests")


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed try is due again without a pause."""
    for name in ("FIRST_PAUSE_S", "AWAY_PAUSE_S"):
        monkeypatch.setattr(worker, name, 0.0)


async def deliver(at: Reception, *thread_ids: str, **more: Any) -> None:
    for number, thread_id in enumerate(thread_ids):
        response = await at.post(hook(thread_id, n=number, **more), bearer())
        assert response.status_code == 204


async def states(at: Reception) -> dict[str, set[str]]:
    """The states of the deliveries, by thread."""
    found: dict[str, set[str]] = {}
    for row in await at.rows():
        found.setdefault(row["thread_id"], set()).add(row["state"])
    return found


async def test_many_deliveries_for_a_thread_are_one_look(
    guarded: Reception, desk: Desk, threads: Threads
) -> None:
    one, other = str(uuid4()), str(uuid4())
    await deliver(guarded, *[one] * 20, other)
    assert await worker.work_due(desk) == 21
    assert sorted(threads.looks) == sorted([one, other])
    assert await states(guarded) == {one: {"done"}, other: {"done"}}
    assert await worker.work_due(desk) == 0


async def test_two_workers_share_what_is_due(guarded: Reception, desk: Desk, threads: Threads) -> None:
    await deliver(guarded, *(str(uuid4()) for _ in range(30)))
    worked = await asyncio.gather(*(worker.work_due(desk) for _ in range(4)))
    assert (sum(worked), len(threads.looks)) == (30, 30)


async def test_while_the_agent_server_is_away_deliveries_wait_and_no_try_is_used_up(
    guarded: Reception, desk: Desk, threads: Threads, at_once: None
) -> None:
    thread_id = str(uuid4())
    await deliver(guarded, thread_id)
    threads.failing[thread_id] = AgentServerUnavailable("the server broke off: see its log")
    for _ in range(worker.TRIES + 2):
        assert await worker.work_due(desk) == 1
    (row,) = await guarded.rows()
    assert (row["state"], row["tries"], row["error"]) == ("new", 0, "the server broke off: see its log")
    threads.failing.clear()
    assert await worker.work_due(desk) == 1
    (row,) = await guarded.rows()
    assert (row["state"], row["error"]) == ("done", None)


async def test_a_server_that_is_away_is_not_asked_for_each_delivery(guarded: Reception) -> None:
    """The SDK takes seconds to find out that nobody answers."""
    await deliver(guarded, *(str(uuid4()) for _ in range(50)))
    async with connect(f"http://127.0.0.1:{free_port()}") as away, asyncio.timeout(60):
        assert await worker.work_due(Desk(guarded.pool, away, Everybody(), "tests")) == 50
    rows = await guarded.rows()
    assert {(row["state"], row["tries"]) for row in rows} == {("new", 0)}
    assert all("no Agent Server answers" in row["error"] for row in rows)


async def test_a_poisoned_one_is_given_up_with_the_reason_and_stops_no_other(
    guarded: Reception, desk: Desk, threads: Threads, at_once: None, caplog: pytest.LogCaptureFixture
) -> None:
    bad, good = str(uuid4()), str(uuid4())
    threads.failing[bad] = ValueError("a state that\0 nobody expected")
    await deliver(guarded, bad, good)
    for _ in range(worker.TRIES):
        assert await states(guarded) != {bad: {"failed"}, good: {"done"}}
        await worker.work_due(desk)
    assert await states(guarded) == {bad: {"failed"}, good: {"done"}}
    row = (await guarded.rows())[0]
    assert (row["tries"], row["error"]) == (worker.TRIES, "ValueError: a state that  nobody expected")
    assert await worker.work_due(desk) == 0
    assert len([record for record in caplog.records if record.levelno == logging.ERROR]) == worker.TRIES


async def test_a_failed_try_waits_longer_each_time(guarded: Reception, desk: Desk, threads: Threads) -> None:
    thread_id = str(uuid4())
    threads.failing[thread_id] = ValueError("no")
    await deliver(guarded, thread_id)
    pauses = []
    for _ in range(4):
        assert await worker.work_due(desk) == 1
        assert await worker.work_due(desk) == 0
        async with guarded.pool.connection() as conn:
            found = await conn.execute(
                "with was as (select next_try_at from webhooks.deliveries) "
                "update webhooks.deliveries set next_try_at = now() from was "
                "returning extract(epoch from was.next_try_at - now())::float as pause"
            )
            row = await found.fetchone()
        assert row is not None
        pauses.append(row["pause"])
    assert pauses == pytest.approx([1, 2, 4, 8], abs=0.9)


async def test_what_a_killed_worker_had_claimed_comes_back(
    guarded: Reception, desk: Desk, threads: Threads, monkeypatch: pytest.MonkeyPatch
) -> None:
    await deliver(guarded, str(uuid4()))
    monkeypatch.setattr(worker, "LEASE_S", 0.3)
    assert len(await worker.claim(guarded.pool)) == 1  # and dies
    assert await worker.work_due(desk) == 0
    await until(lambda: worked(desk))
    assert len(threads.looks) == 1
    assert (await guarded.rows())[0]["tries"] == 2


async def worked(desk: Desk) -> bool:
    return await worker.work_due(desk) == 1


async def test_a_run_that_still_moves_its_thread_is_looked_at_again(
    guarded: Reception, desk: Desk, threads: Threads, at_once: None
) -> None:
    """On a server that tells before it has written the run's end down."""
    run_id = str(uuid4())
    threads.runs = (RunInfo(run_id, "running"),)
    await deliver(guarded, str(uuid4()), run_id=run_id)
    await worker.work_due(desk)
    assert (await guarded.rows())[0]["state"] == "new"
    threads.runs = (RunInfo(run_id, "success"),)
    await worker.work_due(desk)
    assert (await guarded.rows())[0]["state"] == "done"


async def test_another_run_of_the_thread_will_tell_by_itself(
    guarded: Reception, desk: Desk, threads: Threads
) -> None:
    threads.runs = (RunInfo(str(uuid4()), "running"),)
    await deliver(guarded, str(uuid4()), run_id=str(uuid4()))
    await worker.work_due(desk)
    assert (await guarded.rows())[0]["state"] == "done"


@asynccontextmanager
async def running(desk: Desk) -> AsyncIterator[None]:
    stop = asyncio.Event()
    task = asyncio.create_task(worker.run(desk, stop))
    try:
        yield
    finally:
        stop.set()
        await asyncio.wait_for(task, 5)


async def all_done(at: Reception) -> bool:
    return all(row["state"] == "done" for row in await at.rows())


async def test_a_delivery_wakes_the_worker(
    guarded: Reception, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "POLL_S", 3600.0)
    async with running(desk):
        for _ in range(3):
            await deliver(guarded, str(uuid4()))
            await until(lambda: all_done(guarded), 10)


async def test_without_a_word_the_clock_finds_it(
    guarded: Reception, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "POLL_S", 0.1)
    monkeypatch.setattr(worker, "CHANNEL", "nobody_speaks_here")
    async with running(desk):
        await deliver(guarded, str(uuid4()))
        await until(lambda: all_done(guarded), 10)


async def test_it_outlives_a_cut_of_all_its_connections(
    guarded: Reception, desk: Desk, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    monkeypatch.setattr(worker, "POLL_S", 0.1)
    async with guarded.pool.connection() as conn:
        name = conn.info.dbname
    async with running(desk):
        for _ in range(3):
            await deliver(guarded, str(uuid4()))
            with psycopg.connect(server, autocommit=True) as admin:
                admin.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,)
                )
            await until(lambda: all_done(guarded))


async def test_old_ones_are_forgotten_the_bad_ones_later(guarded: Reception, desk: Desk) -> None:
    await deliver(guarded, *(str(uuid4()) for _ in range(2)))
    await guarded.post(b"unreadable", bearer())
    await worker.work_due(desk)
    for days, left in ((6, {"done", "unreadable"}), (4, {"unreadable"}), (25, set())):
        async with guarded.pool.connection() as conn:
            await conn.execute(
                "update webhooks.deliveries set received_at = received_at - make_interval(days => %(days)s), "
                "done_at = done_at - make_interval(days => %(days)s)",
                {"days": days},
            )
        await worker.forget(guarded.pool)
        assert {row["state"] for row in await guarded.rows()} == left

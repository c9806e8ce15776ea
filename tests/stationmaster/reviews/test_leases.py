"""What a worker has in hand stays its own while it sends: whoever presses, and however slow the Agent Server is."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from typing import Any, cast
from uuid import uuid4

import pytest

from stationmaster.reviews import deliver, leases, settling, store
from stationmaster.reviews.agent_server import AgentServer
from stationmaster.reviews.database import Pool, open_pool
from stationmaster.reviews.decide import decide
from stationmaster.reviews.deliver import step, take
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.model import Checkpoint, Gone, Review, Task, ThreadSnapshot
from stationmaster.reviews.observe import WAKE, observe
from tests.stationmaster.reviews.engine import ANN, GROUP, Asking, OneGroup, answer, person
from tests.stationmaster.reviews.rows import insert

LEA = person("lea", "lead")


class Slow:
    """An Agent Server that shows every question as still asked, and takes its time as told."""

    def __init__(self) -> None:
        self.reading = self.most = 0
        self.done, self.full = asyncio.Event(), asyncio.Event()
        self.sent: list[str] = []

    async def read(self, thread_id: str, run_ids: Iterable[str] = ()) -> ThreadSnapshot | Gone:
        self.reading += 1
        self.most = max(self.most, self.reading)
        if self.reading == 4:
            self.full.set()
        await self.done.wait()
        self.reading -= 1
        return ThreadSnapshot(thread_id, "idle", Checkpoint("c"))


def desk_of(pool: Pool, name: str, server: Any = None) -> Desk:
    return Desk(pool, cast("AgentServer", server), OneGroup(), name)


async def decided(pool: Pool, **columns: Any) -> Review:
    async with pool.connection() as conn:
        review = await insert(conn, shape="plain", assistant_id="a", groups=[GROUP], **columns)
    return await decide(pool, review.id, ANN, answer(1), undo_s=0)


async def test_looking_again_leaves_an_answer_with_the_worker_that_sends_it(pool: Pool) -> None:
    review = await decided(pool)
    first, second = desk_of(pool, "w1"), desk_of(pool, "w2")
    assert await take(first, 1) == [review.id]
    async with pool.connection() as conn:
        await conn.execute("update reviews.reviews set state = 'sent', sent_at = now()")
    await settling.settle(pool, review.id, LEA, "look_again")
    assert await take(second, 1) == []
    async with pool.connection() as conn:
        await conn.execute("update reviews.reviews set worked_until = now() - interval '1 s'")
        await conn.execute("update reviews.reviews set next_look_at = now() + interval '1 hour'")
    await settling.settle(pool, review.id, LEA, "look_again")
    assert await take(second, 1) == [review.id]


async def test_who_settles_a_thread_waits_for_no_worker_that_marks_an_answer_of_it(pool: Pool) -> None:
    """The worker waits for the one answer that may be sent on a thread, which the other one holds: a deadlock."""
    review = await decided(pool)
    async with pool.connection() as marking, pool.connection() as settling_:
        await marking.execute("select id from reviews.reviews for update")
        async with asyncio.timeout(5):
            await settling_.execute(WAKE, {"thread_id": review.thread_id})


@pytest.fixture
async def small(database: str) -> AsyncIterator[Pool]:
    async with open_pool(database, max_size=6) as pool:
        yield pool


async def test_looks_that_wait_for_the_server_leave_connections_free(small: Pool) -> None:
    server = Slow()
    desk = desk_of(small, "w", server)
    looks = [asyncio.create_task(observe(desk, str(uuid4()), "hook")) for _ in range(20)]
    await server.full.wait()
    review = await asyncio.wait_for(decided(small), 5)
    async with small.connection(timeout=1) as conn:
        assert await store.find(conn, review.id)
    server.done.set()
    await asyncio.gather(*looks)
    assert server.most == 4


async def test_leases_are_renewed_although_the_pool_is_used_up(
    small: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "RENEW_S", 0.05)
    review = await decided(small)
    desk = desk_of(small, "w1")
    assert await take(desk, 1) == [review.id]
    connections = [await small.getconn() for _ in range(6)]
    keeper = asyncio.create_task(leases.keep_leases(desk, lambda: [review.id]))
    try:
        await _renewed(connections[0], review)
    finally:
        keeper.cancel()
        with suppress(asyncio.CancelledError):
            await keeper
        for conn in connections:
            await small.putconn(conn)


async def test_leases_outlive_a_connection_that_is_cut(small: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leases, "RENEW_S", 0.05)
    monkeypatch.setattr(leases, "AGAIN_S", 0.05)
    review = await decided(small)
    desk = desk_of(small, "w1")
    await take(desk, 1)
    keeper = asyncio.create_task(leases.keep_leases(desk, lambda: [review.id]))
    cut = """select count(pg_terminate_backend(pid)) as n from pg_stat_activity
        where datname = current_database() and query ilike '%%worked_until%%' and pid <> pg_backend_pid()"""
    try:
        n = 0
        while not n:
            async with small.connection() as conn:
                row = await (await conn.execute(cut)).fetchone()
                n = row["n"] if row else 0
            await asyncio.sleep(0.02)  # between two looks for the connection that is waited for
        async with small.connection() as conn:
            await _renewed(conn, review)
    finally:
        keeper.cancel()
        with suppress(asyncio.CancelledError):
            await keeper


async def _renewed(conn: Any, review: Review) -> None:
    before = await _lease(conn, review)
    while True:
        if await _lease(conn, review) != before:
            return
        await asyncio.sleep(0.02)  # between two looks at the lease that is waited for


async def _lease(conn: Any, review: Review) -> Any:
    row = await (
        await conn.execute("select worked_until from reviews.reviews where id = %s", [review.id])
    ).fetchone()
    await conn.rollback()
    return row["worked_until"]


async def test_nothing_is_asked_between_the_mark_and_the_request(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor between the look and the mark: schemas, which may take half a minute, are known by then."""
    await asking.ask("stamped", question="go?")
    (review,) = await asking.opened()
    await asking.decide(review, answer({"yes": True}))
    calls: list[tuple[str, str]] = []
    for name in ("read", "state_keys", "resume"):
        monkeypatch.setattr(asking.desk.server, name, _noting(asking, name, calls))
    await take(asking.desk, 1)
    await step(asking.desk, review.id)
    resumed = calls.index(("resume", "sent"))
    assert calls[:2] == [("state_keys", "decided"), ("read", "decided")]
    assert [name for name, state in calls[:resumed] if state == "sent"] == []
    kept = asking.desk.server._kept  # pyright: ignore[reportPrivateUsage] - asked once, before the look
    assert any(what == "state keys" for what, _ in kept)


async def test_a_worker_that_stood_still_after_its_mark_sends_nothing(
    asking: Asking, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another one may have it by then. What is marked, and no run carries, is sent at the next look."""
    await asking.ask("plain", question="go?")
    (review,) = await asking.opened()
    await asking.decide(review, answer("yes"))
    moments = iter([0.0, leases.LEASE_S])
    monkeypatch.setattr(deliver, "monotonic", lambda: next(moments))
    await take(asking.desk, 1)
    await step(asking.desk, review.id)
    held_up = await asking.review()
    assert (held_up.state, held_up.resume_run_id, asking.done()) == ("sent", None, [])
    monkeypatch.undo()
    (done,) = await asking.settle()
    assert done.state == "finished" and asking.done() == [("answered", "yes")]


def _noting(asking: Asking, name: str, calls: list[tuple[str, str]]) -> Any:
    real = getattr(asking.desk.server, name)

    async def noted(*args: Any, **options: Any) -> Any:
        calls.append((name, (await asking.review()).state))
        return await real(*args, **options)

    return noted


async def test_an_answer_that_never_arrived_is_sent_again_by_its_holder_alone(pool: Pool) -> None:
    """A worker that was held up, while another took over, does not send what that one sends."""
    review = await decided(pool)

    class Server(Slow):
        async def read(self, thread_id: str, run_ids: Iterable[str] = ()) -> ThreadSnapshot | Gone:
            task = Task("t", "ask", ({"id": review.interrupt_id, "value": review.payload},))
            top = Checkpoint(review.checkpoint_id, next=("ask",), source="loop", tasks=(task,))
            async with pool.connection() as conn:  # the other one takes over while this one reads
                await conn.execute("update reviews.reviews set worked_by = 'w2'")
            return ThreadSnapshot(thread_id, "interrupted", top)

        async def takes_conditions(self) -> bool:
            return False

        async def state_keys(self, assistant_id: str) -> frozenset[str]:
            return frozenset()

        async def assistant(self, assistant_id: str) -> dict[str, Any]:
            return {}

        async def resume(self, *args: Any, **options: Any) -> str:
            self.sent.append(review.id)
            return "R"

    server = Server()
    desk = desk_of(pool, "w1", server)
    await take(desk, 1)
    async with pool.connection() as conn:
        await conn.execute("update reviews.reviews set state = 'sent', sent_at = now()")
    await step(desk, review.id)
    assert server.sent == []

"""What no webhook told: found within one sweep, once; and what the drift report says of it."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stationmaster.reviews import store
from stationmaster.reviews.agent_server import ThreadRow
from stationmaster.reviews.desk import Desk
from stationmaster.reviews.errors import AgentServerUnavailable
from stationmaster.reviews.model import Checkpoint, Gone, RunInfo, Task, ThreadSnapshot
from stationmaster.reviews.sweep import GIVE_UP, sweep, sweep_if_due
from tests.stationmaster.reviews.engine import Asking, OneGroup, answer


async def counters(desk: Desk) -> dict[str, int]:
    async with desk.pool.connection() as conn:
        return {name: counter["n"] for name, counter in (await store.drift(conn)).counters.items()}


async def test_a_missed_question_is_found_by_one_sweep(asking: Asking) -> None:
    await asking.ask("parallel", questions=["a", "b"])
    swept = await sweep(asking.desk, None)
    assert swept.full and swept.lag_s > 0
    assert len(await asking.reviews()) == 2
    assert (await counters(asking.desk))["missed"] >= 2
    again = await sweep(asking.desk, datetime.now(UTC))
    assert (again.opened, again.moved) == (0, 0)


async def test_what_happened_elsewhere_is_found(asking: Asking) -> None:
    await asking.ask("plain", question="q")
    (review,) = await asking.opened()
    await asking.run("plain", command={"resume": {review.interrupt_id: "direct"}})
    gone = await asking.ask("plain", question="gone")
    (second,) = await asking.opened()
    await asking.desk.server.client.threads.delete(gone)
    await sweep(asking.desk, datetime.now(UTC))
    found = {review.id: await _state(asking, review.id) for review in (review, second)}
    assert found == {review.id: "answered_elsewhere", second.id: "withdrawn"}
    drift = await counters(asking.desk)
    assert (drift["answered_elsewhere"], drift["vanished"]) == (1, 1)


async def test_one_process_at_a_time(asking: Asking) -> None:
    turns = await asyncio.gather(
        *(sweep_if_due(asking.desk, every_s=60, full_every_s=3600) for _ in range(4))
    )
    assert sum(turn is not None for turn in turns) == 1


@dataclass
class ManyThreads:
    """An Agent Server of rows: `waiting` threads ask, the others are done; `away` ones can't be read, `broken` ones
    not understood."""

    times: dict[str, datetime]
    waiting: set[str] = field(default_factory=set)
    away: set[str] = field(default_factory=set)
    broken: set[str] = field(default_factory=set)
    looked_at: list[str] = field(default_factory=list)
    pages: int = 0

    async def threads(self) -> AsyncIterator[list[ThreadRow]]:
        rows = sorted(self.times.items(), key=lambda row: row[1], reverse=True)
        for start in range(0, len(rows), 1000):
            self.pages += 1
            page = rows[max(0, start - 3) : start + 1000]  # some move down while the list is read
            yield [ThreadRow(thread_id, "idle", at) for thread_id, at in page]

    async def waits(self, thread_id: str) -> bool:
        self.looked_at.append(thread_id)
        if thread_id in self.away:
            raise AgentServerUnavailable("away")
        if thread_id in self.broken:
            raise ValueError("no sense")
        return thread_id in self.waiting

    async def read(self, thread_id: str, run_ids: Any = ()) -> ThreadSnapshot | Gone:
        if thread_id in self.away:
            raise AgentServerUnavailable("away")
        task = Task("t", "ask", ({"id": thread_id.rjust(32, "0"), "value": 1},))
        return ThreadSnapshot(
            thread_id,
            "interrupted",
            Checkpoint("c", "", ("ask",), (task,), "loop"),
            (RunInfo("r", "success"),),
        )

    async def assistant(self, assistant_id: str) -> dict[str, Any]:
        return {}


START = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def many(desk: Desk) -> tuple[Desk, ManyThreads]:
    times = {f"t{number}": START + timedelta(seconds=number) for number in range(2500)}
    server = ManyThreads(times, {"t3", "t1200", "t2499"})
    return Desk(desk.pool, server, OneGroup(), "test"), server  # pyright: ignore[reportArgumentType]


async def test_pages_are_read_to_the_watermark_and_no_thread_twice(many: tuple[Desk, ManyThreads]) -> None:
    desk, server = many
    full = await sweep(desk, None)
    assert (full.threads, full.opened) == (2500, 3)
    assert len(server.looked_at) == len(set(server.looked_at)) == 2500
    server.looked_at.clear()
    server.pages = 0
    part = await sweep(desk, START + timedelta(seconds=2400))
    assert server.pages == 1
    # 160 changed since watermark less overlap, t2499 among them; t3 and t1200 have a review.
    assert part.threads == 160 + 2
    assert part.opened == 0


async def test_a_server_that_went_back_in_time_is_swept_in_full(many: tuple[Desk, ManyThreads]) -> None:
    desk, server = many
    swept = await sweep(desk, START + timedelta(days=1))
    assert swept.full and len(server.looked_at) == 2500


async def test_threads_that_could_not_be_read_come_first_next_time(many: tuple[Desk, ManyThreads]) -> None:
    desk, server = many
    server.away = {"t1200"}
    swept = await sweep(desk, None)
    assert (swept.failed, swept.opened) == ({"t1200"}, 2)
    server.away = set()
    again = await sweep(desk, START + timedelta(seconds=2499), again=swept.failed)
    assert again.opened == 1


async def test_threads_that_the_server_fails_at_hide_no_others(many: tuple[Desk, ManyThreads]) -> None:
    """It answers 500 for the state of more of them than it may be silent about when it is away."""
    desk, server = many
    server.away = {f"t{number}" for number in range(2400, 2400 + 3 * GIVE_UP)}
    swept = await sweep(desk, None)
    assert (swept.failed, swept.opened, swept.threads) == (server.away, 3, 2500)
    server.times["new"], server.waiting = START + timedelta(seconds=2600), {"new"}
    again = await sweep(desk, START + timedelta(seconds=2599), again=swept.failed)
    assert again.opened == 1 and again.failed == server.away


async def test_a_server_that_is_away_leaves_the_watermark(many: tuple[Desk, ManyThreads]) -> None:
    desk, server = many
    server.away = set(server.times)
    with pytest.raises(AgentServerUnavailable):
        await sweep(desk, None)
    assert len(server.looked_at) < GIVE_UP + 20
    async with desk.pool.connection() as conn:
        assert (await store.drift(conn)).watermark is None


async def test_threads_that_can_not_be_kept_are_no_server_that_is_away(
    many: tuple[Desk, ManyThreads],
) -> None:
    """Forty threads that nobody can make sense of hide the one behind them."""
    desk, server = many
    server.broken = {f"t{number}" for number in range(2450, 2490)}
    swept = await sweep(desk, None)
    assert (swept.failed, swept.away, swept.opened) == (server.broken, 0, 3)
    async with desk.pool.connection() as conn:
        assert (await store.drift(conn)).watermark is not None


async def test_a_question_that_comes_back_is_shown_as_such(asking: Asking) -> None:
    """The server forgets the run and asks again, as `dev` does after `kill -9`."""
    await asking.ask("plain", question="q")
    (review,) = await asking.opened()
    await asking.decide(review, answer(1))
    async with asking.desk.pool.connection() as conn:
        await conn.execute(
            "update reviews.reviews set state = 'sent', sent_at = now(), resume_run_id = %s", [review.id]
        )
    await sweep(asking.desk, datetime.now(UTC))
    old, new = await asking.reviews()
    assert (old.state, old.needs_person, old.replaced_by) == ("failed", True, new.id)
    assert (new.state, new.occurrence, new.returned_from) == ("open", 2, old.id)
    assert asking.done() == []


async def _state(asking: Asking, review_id: str) -> str:
    async with asking.desk.pool.connection() as conn:
        review = await store.find(conn, review_id)
    assert review
    return review.state

"""What a sweep leaves out: threads that nothing has happened to since they were looked at."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import pytest

from stationmaster.reviews.desk import Desk
from stationmaster.reviews.remembering import RECHECK_S, SETTLED_S, Memory
from stationmaster.reviews.sweep import sweep
from tests.stationmaster.reviews.engine import Asking, answer
from tests.stationmaster.reviews.test_sweep import ManyThreads, many  # noqa: F401 - a fixture

T0 = datetime(2026, 1, 1, tzinfo=UTC)
T1 = T0 + timedelta(seconds=3)


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Sweeping:
    """The memory of sweeps, one after the other, each with what the list says."""

    clock: Clock = field(default_factory=Clock)

    def __post_init__(self) -> None:
        self.memory = Memory(clock=self.clock, chance=lambda: 1.0)

    def sweep(self, changed: dict[str, datetime], unfinished: Collection[str] = ()) -> set[str]:
        """The threads that are looked at."""
        due = self.memory.due(changed, unfinished)
        self.memory.looked(due, changed, unfinished)
        return due


def test_a_change_is_looked_at_until_it_has_settled() -> None:
    """Its state may become visible after the time that the list tells."""
    sweeps = Sweeping()
    looks = []
    for _ in range(12):
        looks.append(bool(sweeps.sweep({"t": T0})))
        sweeps.clock.now += 5
    assert looks == [True, True, True] + [False] * 9
    assert SETTLED_S == 10


def test_a_newer_change_is_looked_at_at_once() -> None:
    sweeps = Sweeping()
    for _ in range(4):
        sweeps.sweep({"t": T0})
        sweeps.clock.now += 5
    assert sweeps.sweep({"t": T0}) == set()
    assert sweeps.sweep({"t": T1}) == {"t"}


def test_an_unfinished_review_is_looked_at_now_and_then() -> None:
    sweeps = Sweeping()
    assert sweeps.sweep({}, {"t"}) == {"t"}
    sweeps.clock.now += RECHECK_S - 1
    assert sweeps.sweep({}, {"t"}) == set()
    sweeps.clock.now += 1
    assert sweeps.sweep({}, {"t"}) == {"t"}


def test_those_that_were_due_together_are_not_so_for_ever() -> None:
    memory = Memory(clock=(clock := Clock()))
    threads = {f"t{number}" for number in range(1000)}
    memory.looked(threads, {}, threads)
    clock.now += RECHECK_S * 0.75
    assert 300 < len(memory.due({}, threads)) < 700
    clock.now += RECHECK_S
    assert memory.due({}, threads) == threads


def test_what_is_of_no_use_any_more_is_dropped() -> None:
    sweeps = Sweeping()
    sweeps.sweep({"a": T0, "b": T0}, {"c"})
    sweeps.sweep({"b": T0})
    assert sweeps.memory._known.keys() == {"b"}  # pyright: ignore[reportPrivateUsage]
    sweeps.memory.forget()
    assert sweeps.sweep({"b": T0}) == {"b"}


async def test_a_thread_that_could_not_be_read_is_not_remembered(
    many: tuple[Desk, ManyThreads],  # noqa: F811
) -> None:
    desk, server = many
    memory = Memory()
    server.away = {"t2498"}
    swept = await sweep(desk, None, memory=memory)
    assert swept.failed == {"t2498"}
    server.away = set()
    server.looked_at.clear()
    newest = max(server.times.values())
    await sweep(desk, newest, memory=memory)
    assert "t2498" in server.looked_at


async def test_a_full_sweep_and_one_after_a_step_back_look_at_all(
    many: tuple[Desk, ManyThreads],  # noqa: F811
) -> None:
    desk, server = many
    memory = Memory()
    await sweep(desk, None, memory=memory)
    for watermark, full in (
        (max(server.times.values()), True),
        (max(server.times.values()) + timedelta(1), False),
    ):
        server.looked_at.clear()
        swept = await sweep(desk, watermark, full=full, memory=memory)
        assert (swept.full, swept.threads) == (True, 2500)


@pytest.mark.parametrize("deed", ["answer", "delete"])
async def test_what_happens_elsewhere_is_still_found(asking: Asking, deed: str) -> None:
    """An answer at the server by the next sweep, since the list tells; a deletion when it is looked at again."""
    memory = Memory(clock=(clock := Clock()))
    await asking.ask("plain", question="q")
    await sweep(asking.desk, None, memory=memory)
    (review,) = await asking.reviews()
    clock.now += SETTLED_S + 1
    mark = datetime.now(UTC) - timedelta(seconds=1)
    await sweep(asking.desk, mark, memory=memory)
    if deed == "answer":
        await asking.run("plain", command={"resume": {review.interrupt_id: "direct"}})
    else:
        await asking.another_thread()
        await asking.desk.server.client.threads.delete(asking.thread_id)
        clock.now += RECHECK_S
    await sweep(asking.desk, mark, memory=memory)
    assert (await asking.review()).state == ("answered_elsewhere" if deed == "answer" else "withdrawn")


async def test_an_answer_given_here_is_not_held_up(asking: Asking) -> None:
    """The worker looks by itself; the sweep's memory concerns the sweep alone."""
    memory = Memory()
    await asking.ask("plain", question="q")
    await sweep(asking.desk, None, memory=memory)
    (review,) = await asking.reviews()
    await asking.decide(review, answer("yes"))
    (after,) = await asking.settle()
    assert after.state == "finished"

"""One apply at a time on a server, whoever dies, and nothing of it is left."""

import asyncio
from typing import Any

import pytest

from stationmaster.reconcile import lock as locks
from stationmaster.reconcile.diff import Desired
from stationmaster.reconcile.lock import LockLost, LockTaken, hold
from stationmaster.reconcile.reconciling import Wish, apply
from stationmaster.reconcile.resources import Assistant, Cron, Signature
from tests.stationmaster.reconcile.conftest import Served

BY = Signature("ana", "test")
SHORT_S = 0.6
LONG_S = 2.5
"""For holders that live: a busy machine may hold them up for a second."""


async def rows(served: Served) -> list[Any]:
    return await served.others.threads.search(metadata={"purpose": "apply lock"}, limit=100)


async def test_a_second_one_waits_and_is_told_for_whom(served: Served) -> None:
    order, told = list[str](), list[str]()

    async def one(name: str) -> None:
        async with hold(served.others, served.url, name, waiting=told.append):
            order.append(f"{name} in")
            await asyncio.sleep(0.6)
            order.append(f"{name} out")

    await asyncio.gather(*(one(name) for name in ("ana", "ben", "cleo")))
    assert [entry.split()[1] for entry in order] == ["in", "out"] * 3
    assert told
    assert "since 20" in told[0]
    assert await rows(served) == []


async def test_who_does_not_want_to_wait_is_refused(served: Served) -> None:
    async with hold(served.others, served.url, "ana"):
        with pytest.raises(
            LockTaken, match=r"another apply is at work on .*: ana on .*apply again"
        ) as caught:
            async with hold(served.others, served.url, "ben", wait_s=0):
                pass
    assert caught.value.exit_code == 2, "nothing was written"


async def test_the_lock_never_looks_like_a_thread_that_waits(served: Served) -> None:
    async with hold(served.others, served.url, "ana"):
        (row,) = await rows(served)
        state: Any = await served.others.threads.get_state(row["thread_id"], subgraphs=True)
        assert row["status"] == "idle"
        assert not (state["next"] or state["tasks"] or state.get("interrupts"))


async def dead(served: Served, number: int) -> None:
    """What a killed apply leaves: a thread that nobody touches."""
    assert await locks.take_number(served.others, number, "dead", "dan")


async def test_a_killed_holder_bars_nobody_for_long_and_only_one_takes_over(served: Served) -> None:
    await dead(served, 0)
    inside, most = 0, 0

    async def one(name: str) -> None:
        nonlocal inside, most
        async with hold(served.others, served.url, name, ttl_s=LONG_S) as lock:
            inside += 1
            most = max(most, inside)
            lock.check()
            await asyncio.sleep(0.1)
            inside -= 1

    await asyncio.gather(*(one(f"n{number}") for number in range(4)))
    assert most == 1
    assert await rows(served) == []


async def test_a_chain_of_dead_ones_is_cleared_away(served: Served) -> None:
    for number in range(3):
        await dead(served, number)
    async with hold(served.others, served.url, "ana", ttl_s=SHORT_S) as lock:
        assert lock.number == 3
    assert await rows(served) == []


async def test_a_holder_that_is_alive_keeps_it_for_as_long_as_it_takes(served: Served) -> None:
    async with hold(served.others, served.url, "ana", ttl_s=LONG_S) as lock:
        with pytest.raises(LockTaken):
            async with hold(served.others, served.url, "ben", ttl_s=LONG_S, wait_s=2 * LONG_S):
                pass
        lock.check()


async def test_who_was_held_up_too_long_writes_nothing_more(served: Served) -> None:
    async with hold(served.others, served.url, "ana") as lock:
        lock.ttl_s = 0.0
        with pytest.raises(LockLost, match="apply again"):
            lock.check()
        lock.ttl_s = 60.0
        await dead(served, 1)  # somebody took the next number meanwhile
        await lock.renew()
        with pytest.raises(LockLost):
            lock.check()
    assert {row["thread_id"] for row in await rows(served)} == {locks.thread_id(0), locks.thread_id(1)}
    for number in (0, 1):
        await served.others.threads.delete(locks.thread_id(number))


async def test_a_lock_that_somebody_deleted_is_lost(served: Served) -> None:
    async with hold(served.others, served.url, "ana") as lock:
        await served.others.threads.delete(locks.thread_id(0))
        await lock.renew()
        with pytest.raises(LockLost):
            lock.check()


async def test_two_applies_at_once_make_everything_once(served: Served) -> None:
    wish = Wish(
        Desired(
            tuple(Assistant(f"a{number}", "support") for number in range(5)),
            tuple(Cron(f"k{number}", f"a{number}", "0 9 * * *") for number in range(5)),
        )
    )

    async def one() -> int:
        return len([each async for each in apply(wish, served.gateway, BY) if each.status == "done"])

    assert sorted(await asyncio.gather(one(), one(), one())) == [0, 0, 10]
    assert len(await served.gateway.crons()) == 5
    assert await rows(served) == []

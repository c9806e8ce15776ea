"""The breaker, with its state in the database and in the process: the same rules, the same tests."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from uuid import uuid4

import pytest
import pytest_asyncio

from agents.shared import database as pool
from agents.shared.errors import TransientError
from agents.shared.resilience import BreakerOpen, Thresholds, breaker
from agents.shared.resilience.breaker import Keepers
from agents.shared.resilience.in_process import ProcessKeeper

THRESHOLDS = Thresholds(failures=5, cooldown_s=30.0, probe_s=90.0)
AGE = """
update shop.breakers set opened_at = opened_at - make_interval(secs => %(s)s),
                         probe_until = probe_until - make_interval(secs => %(s)s)
"""


@dataclass
class Service:
    """An outside service behind a breaker of its own; `age` lets seconds pass without waiting for them."""

    keepers: Keepers
    age: Callable[[float], Awaitable[None]]
    name: str
    calls: int = 0

    async def call(self, failure: BaseException | None = None, thresholds: Thresholds = THRESHOLDS) -> None:
        async with breaker(self.name, thresholds, self.keepers):
            self.calls += 1
            if failure is not None:
                raise failure

    async def fail(self, times: int = 1) -> None:
        for _ in range(times):
            with pytest.raises(TransientError):
                await self.call(TransientError("down"))

    async def is_open(self) -> bool:
        before = self.calls
        try:
            await self.call()
        except BreakerOpen:
            assert self.calls == before
            return True
        return False


def in_process() -> Service:
    now = [1000.0]

    async def age(seconds: float) -> None:
        now[0] += seconds

    keeper = ProcessKeeper(clock=lambda: now[0])
    return Service(Keepers(shared=keeper, own=keeper), age, uuid4().hex)


def in_database() -> Service:
    async def age(seconds: float) -> None:
        async with pool.connection() as conn:
            await conn.execute(AGE, {"s": seconds})

    return Service(Keepers(), age, uuid4().hex)


@pytest_asyncio.fixture
async def connected(database: str) -> AsyncIterator[str]:
    pool.configure(database)
    yield database
    await pool.close()
    pool.configure(None)


@pytest.fixture(params=["process", "database"])
def service(request: pytest.FixtureRequest) -> Service:
    if request.param == "process":
        return in_process()
    request.getfixturevalue("connected")
    return in_database()


async def test_five_failures_in_a_row_open_it(service: Service) -> None:
    await service.fail(4)
    await service.call()
    await service.fail(4)
    assert not await service.is_open()
    await service.fail(5)
    assert await service.is_open()


async def test_open_it_fails_at_once_and_says_for_how_long(service: Service) -> None:
    await service.fail(5)
    await service.age(10)
    with pytest.raises(BreakerOpen) as caught:
        await service.call()
    assert service.calls == 5
    assert caught.value.name == service.name
    assert 15 < caught.value.seconds_left <= 20


async def test_of_twenty_callers_after_the_cooldown_one_probes(service: Service) -> None:
    await service.fail(5)
    await service.age(31)
    go = asyncio.Event()
    refused = 0

    async def one() -> None:
        nonlocal refused
        try:
            async with breaker(service.name, THRESHOLDS, service.keepers):
                service.calls += 1
                await go.wait()  # the probe is under way while the others ask
        except BreakerOpen:
            refused += 1
            if refused == 19:
                go.set()

    async with asyncio.timeout(20):
        await asyncio.gather(*(one() for _ in range(20)))
    assert (service.calls, refused) == (6, 19)


async def test_a_good_probe_closes_it(service: Service) -> None:
    await service.fail(5)
    await service.age(31)
    await service.call()
    await service.fail(4)
    assert not await service.is_open()


async def test_a_failed_probe_starts_the_cooldown_anew(service: Service) -> None:
    await service.fail(5)
    await service.age(31)
    await service.fail()
    assert await service.is_open()
    await service.age(29)
    assert await service.is_open()
    await service.age(2)
    assert not await service.is_open()


async def test_a_failure_that_is_not_transient_neither_counts_nor_resets(service: Service) -> None:
    await service.fail(4)
    for _ in range(9):
        with pytest.raises(ValueError, match="bug"):
            await service.call(ValueError("bug"))
    assert service.calls == 13
    await service.fail()
    assert await service.is_open()


@pytest.mark.parametrize("end", [ValueError("bug"), asyncio.CancelledError()], ids=["bug", "cancelled"])
async def test_a_probe_that_proves_nothing_gives_its_turn_back(service: Service, end: BaseException) -> None:
    await service.fail(5)
    await service.age(31)
    with pytest.raises(type(end)):
        await service.call(end)
    assert not await service.is_open()


async def test_a_task_cancelled_while_it_probes_gives_its_turn_back(service: Service) -> None:
    await service.fail(5)
    await service.age(31)
    probing = asyncio.Event()

    async def probe() -> None:
        async with breaker(service.name, THRESHOLDS, service.keepers):
            probing.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(probe())
    await probing.wait()
    assert await service.is_open()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert not await service.is_open()


async def test_a_probe_whose_process_died_loses_its_turn(service: Service) -> None:
    await service.fail(5)
    await service.age(31)
    keeper, lost = await service.keepers.admit(service.name, THRESHOLDS)  # and nobody reports
    await service.age(89)
    assert await service.is_open()
    await service.age(2)
    _, probe = await service.keepers.admit(service.name, THRESHOLDS)
    assert probe.probe is not None
    await service.keepers.report(keeper, lost, None, THRESHOLDS)  # too late: it is another's turn
    await service.keepers.report(keeper, lost, TransientError(), THRESHOLDS)
    assert await service.is_open()
    await service.keepers.report(keeper, probe, None, THRESHOLDS)
    assert not await service.is_open()


async def test_calls_from_before_it_opened_change_nothing(service: Service) -> None:
    early = [await service.keepers.admit(service.name, THRESHOLDS) for _ in range(2)]
    await service.fail(5)
    await service.age(29)
    await service.keepers.report(*early[0], TransientError(), THRESHOLDS)
    await service.keepers.report(*early[1], None, THRESHOLDS)
    assert await service.is_open()
    await service.age(2)
    assert not await service.is_open()


async def test_parallel_failures_are_all_counted(service: Service) -> None:
    together = asyncio.Barrier(5)

    async def one() -> None:
        async with breaker(service.name, THRESHOLDS, service.keepers):
            await together.wait()
            raise TransientError("down")

    results = await asyncio.gather(*(one() for _ in range(5)), return_exceptions=True)
    assert [type(result) for result in results] == [TransientError] * 5
    assert await service.is_open()


async def test_breakers_do_not_touch_each_other(service: Service) -> None:
    await service.fail(5)
    service.name = uuid4().hex
    assert not await service.is_open()


async def test_one_failure_can_be_enough(service: Service) -> None:
    strict = Thresholds(failures=1)
    with pytest.raises(TransientError):
        await service.call(TransientError("down"), strict)
    assert await service.is_open()


OTHER_PROCESS = """
import asyncio, sys
from agents.shared import database
from agents.shared.errors import TransientError
from agents.shared.resilience import BreakerOpen, breaker

async def call(name, failure):
    try:
        async with breaker(name):
            if failure:
                raise TransientError("down")
            return "passed"
    except TransientError:
        return "failed"
    except BreakerOpen:
        return "open"

async def main(uri, name):
    database.configure(uri)
    while line := (await asyncio.to_thread(sys.stdin.readline)).strip():
        print(await call(name, line == "fail"), flush=True)
    await database.close()

asyncio.run(main(sys.argv[1], sys.argv[2]))
"""


async def test_two_processes_share_it(connected: str) -> None:
    service = in_database()
    other = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", OTHER_PROCESS, connected, service.name),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert other.stdin is not None and other.stdout is not None

    async def there(*orders: str) -> list[str]:
        assert other.stdin is not None and other.stdout is not None
        other.stdin.writelines(f"{order}\n".encode() for order in orders)
        return [(await other.stdout.readline()).decode().strip() for _ in orders]

    await service.fail(2)
    assert await there("fail", "fail", "fail", "fail", "try") == [
        "failed",
        "failed",
        "failed",
        "open",
        "open",
    ]
    assert await service.is_open()
    await service.age(31)
    await service.call()
    assert await there("try") == ["passed"]
    other.stdin.close()
    assert await other.wait() == 0


async def test_nothing_is_written_while_all_is_well(connected: str) -> None:
    service = in_database()
    for _ in range(3):
        await service.call()
    async with pool.connection() as conn:
        assert await (await conn.execute("select * from shop.breakers")).fetchall() == []


@pytest.fixture(params=["not configured", "away"])
def without_database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Service:
    """Two seconds of waiting for nobody would be a slow test: the pool is told to give up early."""
    monkeypatch.setattr(pool, "TIMEOUT_S", 0.2)
    pool.configure(None if request.param == "not configured" else "postgresql://nobody@127.0.0.1:9/none")
    service = in_process()
    service.keepers = Keepers(own=service.keepers.own)
    return service


@pytest_asyncio.fixture
async def closing() -> AsyncIterator[None]:
    yield
    await pool.close()
    pool.configure(None)


@pytest.mark.usefixtures("closing")
async def test_without_a_database_the_process_keeps_it(without_database: Service) -> None:
    await without_database.fail(5)
    assert await without_database.is_open()
    await without_database.age(31)
    await without_database.call()
    assert not await without_database.is_open()


async def test_a_database_that_goes_away_in_the_middle_costs_no_good_call(connected: str) -> None:
    service = in_database()
    async with breaker(service.name, THRESHOLDS, service.keepers):
        pool.configure(None)
    await service.fail(5)
    assert await service.is_open()
    pool.configure(connected)
    assert not await service.is_open()

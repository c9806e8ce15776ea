"""The lock of those who change the schema: one at a time, indexes made meanwhile, nothing left; also by a pooler."""

import asyncio
from collections.abc import Iterator

import pytest

from stationmaster.postgres.alone import alone
from stationmaster.postgres.connect import connect
from stationmaster.postgres.errors import MigrationFailed
from tests.fakes.pgbouncer import PROGRAM, pgbouncer

NUMBER = 11


@pytest.fixture(params=["directly", "pooler"])
def way(request: pytest.FixtureRequest, empty_database: str) -> Iterator[str]:
    """How the database is reached."""
    if request.param == "directly":
        yield empty_database
        return
    if PROGRAM is None:
        pytest.skip("needs pgbouncer")
    with pgbouncer(empty_database) as uri:
        yield uri


async def test_one_at_a_time_and_who_waits_keeps_nobody_from_working(way: str) -> None:
    """More of them than the pooler has connections: each makes an index that waits for every older snapshot."""
    inside, most = 0, 0

    async def one(number: int) -> None:
        nonlocal inside, most
        async with (
            alone(way, NUMBER, wait_s=60, what="lock"),
            await connect(way, autocommit=True) as conn,
        ):
            inside += 1
            most = max(most, inside)
            await conn.execute("CREATE TABLE IF NOT EXISTS big AS SELECT generate_series(1, 1000) AS n")
            await conn.execute(f"CREATE INDEX CONCURRENTLY big_{number} ON big (n)".encode())
            inside -= 1

    await asyncio.gather(*(one(number) for number in range(10)))
    assert most == 1
    async with await connect(way, autocommit=True) as conn:
        row = await (
            await conn.execute("SELECT count(*) AS n FROM pg_locks WHERE locktype = 'advisory'")
        ).fetchone()
    assert row == {"n": 0}


async def test_it_is_given_back_where_the_work_fails(way: str) -> None:
    with pytest.raises(ZeroDivisionError):
        async with alone(way, NUMBER, wait_s=0, what="lock"):
            raise ZeroDivisionError
    async with alone(way, NUMBER, wait_s=10, what="lock"):
        with pytest.raises(MigrationFailed, match=r"held the lock for 0 s: see pg_locks .* start again"):
            async with alone(way, NUMBER, wait_s=0, what="lock"):
                pytest.fail("it was given twice")

"""The agents' connection: transactions, one pool a loop, and what a lost database looks like."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import LiteralString

import psycopg
import pytest

from agents.shared import database as agents_database
from agents.shared.resilience import is_transient
from tests.fakes.shop import database_away


async def select_one() -> None:
    async with agents_database.connection() as conn:
        await conn.execute("SELECT 1")


async def count_rows() -> int:
    async with agents_database.connection() as conn:
        row = await (await conn.execute("SELECT count(*) AS n FROM notes")).fetchone()
    assert row is not None
    return row["n"]


@pytest.fixture
async def notes(agents_on_database: str) -> str:
    async with agents_database.connection() as conn:
        await conn.execute("CREATE TABLE notes (text text)")
    return agents_on_database


async def test_a_block_is_committed(notes: str) -> None:
    async with agents_database.connection() as conn:
        await conn.execute("INSERT INTO notes VALUES ('kept')")
    assert await count_rows() == 1


async def test_a_block_that_raises_is_rolled_back(notes: str) -> None:
    async def fail_half_way() -> None:
        async with agents_database.connection() as conn:
            await conn.execute("INSERT INTO notes VALUES ('lost')")
            raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        await fail_half_way()
    assert await count_rows() == 0


async def test_without_configuration_it_says_what_to_call() -> None:
    with pytest.raises(agents_database.DatabaseNotConfigured, match=r"agents\.shared\.database\.configure"):
        async with agents_database.connection():
            pass


class NoServer(Exception):
    """What a source may raise that the agents can't import."""


@pytest.fixture
async def pool() -> AsyncIterator[None]:
    yield
    await agents_database.close()
    agents_database.configure(None)


def failing_once(error: Exception, uri: str) -> Callable[[], Awaitable[str]]:
    errors = [error]

    async def source() -> str:
        if errors:
            raise errors.pop()
        return uri

    return source


async def test_a_source_that_finds_no_database_is_worth_another_try(database: str, pool: None) -> None:
    agents_database.configure(failing_once(NoServer("nothing at port 1"), database), unreachable=NoServer)
    with pytest.raises(agents_database.DatabaseUnavailable, match="can't be reached") as caught:
        await select_one()
    assert is_transient(caught.value)
    await select_one()


async def test_a_bug_in_a_source_comes_out_as_itself(database: str, pool: None) -> None:
    agents_database.configure(failing_once(ValueError("a bug"), database), unreachable=NoServer)
    with pytest.raises(ValueError, match="a bug"):
        await select_one()


async def test_the_source_is_asked_once_on_first_use(notes: str) -> None:
    asked: list[str] = []

    async def find() -> str:
        asked.append(notes)
        await asyncio.sleep(0)
        return notes

    agents_database.configure(find)
    assert asked == []
    assert await asyncio.gather(*(count_rows() for _ in range(5))) == [0] * 5
    assert asked == [notes]


async def test_another_configuration_takes_effect_at_once(notes: str, empty_database: str) -> None:
    assert await count_rows() == 0
    agents_database.configure(empty_database)
    with pytest.raises(psycopg.errors.UndefinedTable):
        await count_rows()
    agents_database.configure(None)
    with pytest.raises(agents_database.DatabaseNotConfigured):
        await count_rows()


def test_every_loop_has_a_pool_of_its_own(database: str) -> None:
    async def ask() -> int:
        try:
            async with agents_database.connection() as conn:
                row = await (await conn.execute("SELECT 1 AS n")).fetchone()
        finally:
            await agents_database.close()
        assert row is not None
        return row["n"]

    agents_database.configure(database)
    try:
        with ThreadPoolExecutor(2) as threads:
            assert list(threads.map(lambda _: asyncio.run(ask()), range(4))) == [1] * 4
    finally:
        agents_database.configure(None)


async def test_more_blocks_than_connections_wait_their_turn(notes: str) -> None:
    assert await asyncio.gather(*(count_rows() for _ in range(3 * agents_database.MAX_SIZE))) == [0] * 30


async def test_a_database_that_is_away_is_a_transient_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agents_database, "TIMEOUT_S", 0.2)
    agents_database.configure("postgresql://desk@127.0.0.1:1/shop?connect_timeout=1")
    try:
        with pytest.raises(
            agents_database.DatabaseUnavailable, match="no database connection within"
        ) as caught:
            await count_rows()
        assert is_transient(caught.value)
    finally:
        await agents_database.close()
        agents_database.configure(None)


async def test_a_session_that_is_cut_is_a_transient_error_and_the_next_one_works(notes: str) -> None:
    async def cut_in_the_middle() -> None:
        async with agents_database.connection() as conn:
            await conn.execute("INSERT INTO notes VALUES ('lost')")
            async with await psycopg.AsyncConnection.connect(notes, autocommit=True) as other:
                await other.execute("SELECT pg_terminate_backend(%s, 5000)", (conn.info.backend_pid,))
            await conn.execute("INSERT INTO notes VALUES ('lost too')")

    with pytest.raises(agents_database.DatabaseUnavailable, match="went away"):
        await cut_in_the_middle()
    assert await count_rows() == 0


async def test_sessions_cut_while_idle_are_replaced_unseen(notes: str) -> None:
    assert await count_rows() == 0
    async with await psycopg.AsyncConnection.connect(notes, autocommit=True) as other:
        await other.execute(
            "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
            "WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
    assert await count_rows() == 0


@pytest.mark.parametrize("statement", ["SELECT 1/0", "SET LOCAL statement_timeout = 1; SELECT pg_sleep(5)"])
async def test_an_error_of_the_statement_stays_the_drivers(notes: str, statement: LiteralString) -> None:
    async def run() -> None:
        async with agents_database.connection() as conn:
            await conn.execute(statement)

    with pytest.raises((psycopg.errors.DivisionByZero, psycopg.errors.QueryCanceled)):
        await run()


async def test_a_database_that_is_back_is_found_at_once(
    server: str, agents_on_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(agents_database, "TIMEOUT_S", 0.5)
    monkeypatch.setattr(agents_database, "LOST_AFTER_S", 0.2)
    await select_one()
    with database_away(server, agents_on_database):
        for _ in range(4):  # longer than the first pauses of a pool that tries to connect again
            with pytest.raises(agents_database.DatabaseUnavailable):
                await select_one()
    await select_one()

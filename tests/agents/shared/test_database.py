"""The agents' connection: transactions, one pool a loop, and what a lost database looks like."""

from collections.abc import AsyncIterator, Awaitable, Callable

import pytest

from agents.shared import database as agents_database
from agents.shared.resilience import is_transient


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
    with pytest.raises(agents_database.DatabaseUnavailable, match="nothing at port 1") as caught:
        await select_one()
    assert is_transient(caught.value)
    await select_one()


async def test_a_bug_in_a_source_comes_out_as_itself(database: str, pool: None) -> None:
    agents_database.configure(failing_once(ValueError("a bug"), database), unreachable=NoServer)
    with pytest.raises(ValueError, match="a bug"):
        await select_one()

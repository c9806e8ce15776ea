"""The agents' connection: transactions, one pool a loop, and what a lost database looks like."""

import pytest

from agents.shared import database


async def count_rows() -> int:
    async with database.connection() as conn:
        row = await (await conn.execute("SELECT count(*) AS n FROM notes")).fetchone()
    assert row is not None
    return row["n"]


@pytest.fixture
async def notes(agents_on_database: str) -> str:
    async with database.connection() as conn:
        await conn.execute("CREATE TABLE notes (text text)")
    return agents_on_database


async def test_a_block_is_committed(notes: str) -> None:
    async with database.connection() as conn:
        await conn.execute("INSERT INTO notes VALUES ('kept')")
    assert await count_rows() == 1


async def test_a_block_that_raises_is_rolled_back(notes: str) -> None:
    async def fail_half_way() -> None:
        async with database.connection() as conn:
            await conn.execute("INSERT INTO notes VALUES ('lost')")
            raise ValueError("in the middle")

    with pytest.raises(ValueError, match="in the middle"):
        await fail_half_way()
    assert await count_rows() == 0


async def test_without_configuration_it_says_what_to_call() -> None:
    with pytest.raises(database.DatabaseNotConfigured, match=r"agents\.shared\.database\.configure"):
        async with database.connection():
            pass

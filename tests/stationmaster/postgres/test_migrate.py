"""Migrations: each applied once, by one process at a time, and never by surprise."""

import asyncio
from collections.abc import Mapping
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL

from stationmaster.postgres import connect, migrate
from stationmaster.postgres.errors import MigrationFailed
from stationmaster.postgres.migrate import LOCK
from stationmaster.postgres.snapshot import SCHEMA, dump

FIRST = {"0001_first.sql": "CREATE TABLE first (n int);"}
BOTH = {
    **FIRST,
    "0002_second.sql": "CREATE TABLE second (n int); INSERT INTO second VALUES (2); SELECT '100%';",
}

HOLD, LET_GO = (
    SQL(text).format(LOCK) for text in ("SELECT pg_advisory_lock({})", "SELECT pg_advisory_unlock({})")
)


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path


def write(directory: Path, files: Mapping[str, str]) -> Path:
    for old in directory.glob("*.sql"):
        old.unlink()
    for name, text in files.items():
        (directory / name).write_text(text)
    return directory


async def tables(uri: str) -> set[str]:
    async with await connect(uri) as conn:
        cursor = await conn.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
        return {row["tablename"] for row in await cursor.fetchall()}


async def test_files_are_applied_in_order_and_once(empty_database: str, directory: Path) -> None:
    assert await migrate(empty_database, write(directory, {})) == []
    assert await migrate(empty_database, write(directory, FIRST)) == ["0001_first.sql"]
    assert await migrate(empty_database, write(directory, BOTH)) == ["0002_second.sql"]
    assert await migrate(empty_database, directory) == []
    assert await tables(empty_database) == {"first", "second"}


async def test_several_at_once_end_with_one_schema(empty_database: str, directory: Path) -> None:
    write(directory, BOTH)
    applied = await asyncio.gather(*(migrate(empty_database, directory) for _ in range(5)))
    assert sorted(applied) == [[], [], [], [], ["0001_first.sql", "0002_second.sql"]]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (
            {"0001_first.sql": "CREATE TABLE other (n int);"},
            "0001_first.sql was changed after it was applied: restore",
        ),
        ({}, "the database has 0001_first.sql, this version has not: use the version"),
        (
            {**FIRST, "0000_late.sql": "SELECT 1"},
            "0000_late.sql comes before 0001_first.sql, .* higher number",
        ),
        ({**FIRST, "2_short.sql": "SELECT 1"}, "2_short.sql is no migration name: rename it"),
        (
            {**FIRST, "0001_twin.sql": "SELECT 1"},
            "0001_first.sql and 0001_twin.sql have one number: renumber",
        ),
        (
            {**FIRST, "0002_bad.sql": "CREATE TABLE t (n int); SELECT 1/0;"},
            r"0002_bad.sql failed \(division by zero\)",
        ),
    ],
    ids=["changed", "missing", "out of order", "misnamed", "twin", "failing"],
)
async def test_what_can_not_be_applied_changes_nothing(
    empty_database: str, directory: Path, files: Mapping[str, str], reason: str
) -> None:
    await migrate(empty_database, write(directory, FIRST))
    with pytest.raises(MigrationFailed, match=reason):
        await migrate(empty_database, write(directory, files))
    assert await tables(empty_database) == {"first"}
    # Nor is the lock kept.
    assert await migrate(empty_database, write(directory, BOTH)) == ["0002_second.sql"]


async def waits(conn: psycopg.AsyncConnection[dict[str, object]]) -> bool:
    """Whether a session of this database has asked for the migration lock."""
    cursor = await conn.execute(
        "SELECT count(*) AS n FROM pg_stat_activity WHERE datname = current_database() "
        "AND pid <> pg_backend_pid() AND (query LIKE '%advisory%' OR query = 'ROLLBACK')"
    )
    row = await cursor.fetchone()
    assert row is not None
    return row["n"] == 1


async def test_it_waits_for_the_lock_without_holding_up_an_index_build(
    empty_database: str, directory: Path
) -> None:
    """The checkpoint library builds indexes CONCURRENTLY: that waits for every transaction beside it."""
    write(directory, FIRST)
    async with await connect(empty_database, autocommit=True) as other:
        await other.execute("CREATE TABLE big AS SELECT generate_series(1, 1000) AS n")
        await other.execute(HOLD)
        waiting = asyncio.create_task(migrate(empty_database, directory))
        async with asyncio.timeout(10):
            while not await waits(other):  # noqa: ASYNC110
                await asyncio.sleep(0.01)
        await other.execute("SET statement_timeout = '10s'")
        await other.execute("CREATE INDEX CONCURRENTLY big_n ON big (n)")
        assert not waiting.done()
        await other.execute(LET_GO)
        assert await waiting == ["0001_first.sql"]


async def test_a_lock_that_is_never_given_back_is_reported(empty_database: str, directory: Path) -> None:
    async with await connect(empty_database, autocommit=True) as other:
        await other.execute(HOLD)
        with pytest.raises(MigrationFailed, match=r"migration lock for 0 s: see pg_locks .* start again"):
            await migrate(empty_database, directory, lock_wait_s=0.3)


async def test_a_user_without_rights_may_use_what_is_there_and_is_told_what_to_grant(
    empty_database: str, directory: Path
) -> None:
    await migrate(empty_database, write(directory, FIRST))
    async with await connect(empty_database, autocommit=True) as owner:
        await owner.execute("DROP ROLE IF EXISTS clerk")
        await owner.execute("CREATE ROLE clerk LOGIN")
        await owner.execute("GRANT USAGE ON SCHEMA stationmaster TO clerk")
        await owner.execute("GRANT SELECT ON stationmaster.migrations TO clerk")
    as_clerk = empty_database.replace("postgres@", "clerk@", 1)
    assert await migrate(as_clerk, directory) == []
    with pytest.raises(MigrationFailed, match=r"permission denied for schema public.*grant it CREATE"):
        await migrate(as_clerk, write(directory, BOTH))


async def test_schema_from_scratch_equals_schema_by_migrations(database: str, empty_database: str) -> None:
    async with await connect(empty_database, autocommit=True) as conn:
        await conn.execute(SCHEMA.read_bytes())
    migrated = await dump(database)
    assert await dump(empty_database) == migrated
    assert SCHEMA.read_text(encoding="utf-8") == migrated, "run python -m stationmaster.postgres.snapshot"

"""A database on which no server can work is refused at the start, with what is missing and the way out."""

import asyncio
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from langgraph_runtime_community import premises
from tests.fakes.community_server import CommunityServer

GOOD: dict[str, Any] = {"version": 18, "vector": True, "allowed": 197, "free": 100}


@pytest.mark.parametrize(
    ("lacks", "vectors", "said"),
    [
        ({}, True, None),
        ({"vector": False}, False, None),
        ({"allowed": None, "free": None}, True, None),
        ({"version": 14}, False, "Postgres 14 is too old: this server needs 15 or later"),
        ({"vector": False}, True, 'extension "vector" is missing.*install pgvector'),
        ({"allowed": 21}, False, "allows 21 connections.*wants up to 22.*COMMUNITY_RUNTIME_POOL_SIZE"),
        ({"free": 3}, False, "3 of the 197 connections .* are free.*needs 4"),
    ],
)
def test_what_is_missing_is_named(lacks: dict[str, Any], vectors: bool, said: str | None) -> None:
    import re

    found = premises.lacking({**GOOD, **lacks}, vectors=vectors)
    assert found is None if said is None else found is not None and re.search(said, found)


async def test_a_database_is_asked(empty_database: str) -> None:
    await premises.require(empty_database, vectors=True)


@pytest.mark.slow
async def test_a_server_does_not_start_where_it_would_run_out_of_connections(
    empty_database: str, tmp_path: Path
) -> None:
    with psycopg.connect(empty_database, autocommit=True) as conn:
        name = Identifier(conn.info.dbname)
        conn.execute(SQL("ALTER DATABASE {} CONNECTION LIMIT 12").format(name))
    served = CommunityServer(tmp_path / "server", database=empty_database)
    process = served.spawn()
    try:
        assert await asyncio.to_thread(process.wait, 60) != 0
    finally:
        served.kill_blocking()
    assert "Postgres allows 12 connections, and a process of this server wants up to 22" in served.log

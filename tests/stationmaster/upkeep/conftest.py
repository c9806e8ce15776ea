"""A database with every table there is, made by `stationmaster db migrate`; a copy of it for each test."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from stationmaster.cli import db_schema
from stationmaster.settings import Settings
from stationmaster.upkeep.database import Connection, opened
from tests.conftest import clone, database_uri
from tests.stationmaster.upkeep.threads import Threads

TEMPLATE = "kept"


@pytest.fixture(scope="session")
def kept_template(server: str) -> str:
    """Its name; clone it, never connect to it."""
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(TEMPLATE)))
    settings = Settings.model_validate({"database_uri": database_uri(server, TEMPLATE)})
    assert "upkeep/0001_upkeep.sql" in asyncio.run(db_schema.migrate(settings))
    assert asyncio.run(db_schema.migrate(settings)) == []
    return TEMPLATE


@pytest.fixture
def kept(server: str, kept_template: str) -> Iterator[str]:
    """The URI of a database of this test's own."""
    yield from clone(server, kept_template)


@pytest.fixture
async def conn(kept: str) -> AsyncIterator[Connection]:
    async with opened(kept) as conn:
        yield conn


@pytest.fixture
def threads(conn: Connection) -> Threads:
    return Threads(conn)

"""Bring the schema up to date: numbered .sql files, each applied once, one process at a time."""

import asyncio
import hashlib
import re
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import psycopg
from psycopg.rows import DictRow

from stationmaster.postgres.alone import alone
from stationmaster.postgres.connect import connect
from stationmaster.postgres.errors import MigrationFailed
from stationmaster.postgres.queries import load

DIRECTORY = Path(__file__).parent / "migrations"
NAME = re.compile(r"\d{4}_[a-z0-9_]+\.sql")
LOCK = 7352419867213401  # arbitrary, and ours alone

QUERIES = load(Path(__file__).parent / "migrate.sql")
HAS_BOOKKEEPING = QUERIES["has_bookkeeping"]
CREATE_BOOKKEEPING = QUERIES["create_bookkeeping"]
APPLIED = QUERIES["applied"]
RECORD = QUERIES["record"]
NOTED = QUERIES["noted"]


@dataclass(frozen=True)
class Migration:
    """One file; `name` is its file name, which sorts by number."""

    name: str
    text: str

    @property
    def checksum(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


def migrations(directory: Path = DIRECTORY) -> list[Migration]:
    """The files in order; a name that doesn't fit or a number used twice is an error."""
    files = sorted(directory.glob("*.sql"))
    for file in files:
        if not NAME.fullmatch(file.name):
            raise MigrationFailed(f"{file.name} is no migration name: rename it to NNNN_what_it_does.sql")
    for before, file in pairwise(files):
        if before.name[:4] == file.name[:4]:
            raise MigrationFailed(f"{before.name} and {file.name} have one number: renumber the newer one")
    return [Migration(file.name, file.read_text(encoding="utf-8")) for file in files]


async def migrate(
    uri: str, directory: Path = DIRECTORY, *, room: str = "", lock_wait_s: float = 120.0
) -> list[str]:
    """Apply what is missing; the names applied by this call. Safe beside other processes doing the same.

    A `room` with migrations of its own numbers them for itself; they are noted as `room/name`.
    """
    files = await asyncio.to_thread(migrations, directory)
    if room:
        files = [Migration(f"{room}/{file.name}", file.text) for file in files]
    # Autocommit: an open transaction would make CREATE INDEX CONCURRENTLY elsewhere wait for us.
    async with (
        alone(uri, LOCK, wait_s=lock_wait_s, what="migration lock"),
        await connect(uri, autocommit=True) as conn,
    ):
        try:
            missing = _missing(files, await _applied(conn, room))
            for migration in missing:
                await _apply(conn, migration)
        except psycopg.errors.InsufficientPrivilege as error:
            raise MigrationFailed(
                f"the database user may not change the schema ({error.diag.message_primary}): "
                "grant it CREATE on the database, or migrate as its owner"
            ) from None
    return [migration.name for migration in missing]


async def noted(uri: str) -> set[str]:
    """The names of all migrations that a database has, of every room."""
    async with await connect(uri, autocommit=True) as conn:
        row = await (await conn.execute(HAS_BOOKKEEPING)).fetchone()
        if row is None or not row["present"]:
            return set()
        return {row["name"] for row in await (await conn.execute(NOTED)).fetchall()}


async def _applied(conn: psycopg.AsyncConnection[DictRow], room: str) -> dict[str, str]:
    """Checksums by name of what this database has of a room."""
    row = await (await conn.execute(HAS_BOOKKEEPING)).fetchone()
    if row is None or not row["present"]:
        await conn.execute(CREATE_BOOKKEEPING)
    return {
        row["name"]: row["checksum"] for row in await (await conn.execute(APPLIED, {"room": room})).fetchall()
    }


def _missing(files: list[Migration], done: dict[str, str]) -> list[Migration]:
    """What is still to apply, once what was applied is known to be unchanged."""
    names = {migration.name for migration in files}
    if gone := sorted(set(done) - names):
        raise MigrationFailed(
            f"the database has {gone[0]}, this version has not: use the version that made it"
        )
    for migration in files:
        if migration.name in done and done[migration.name] != migration.checksum:
            raise MigrationFailed(
                f"{migration.name} was changed after it was applied: restore it, add a new one"
            )
    missing = [migration for migration in files if migration.name not in done]
    if missing and done and missing[0].name < max(done):
        raise MigrationFailed(
            f"{missing[0].name} comes before {max(done)}, which is applied: give it a higher number"
        )
    return missing


async def _apply(conn: psycopg.AsyncConnection[DictRow], migration: Migration) -> None:
    try:
        async with conn.transaction():
            await conn.execute(migration.text.encode())
            await conn.execute(RECORD, {"name": migration.name, "checksum": migration.checksum})
    except psycopg.errors.InsufficientPrivilege:
        raise
    except psycopg.Error as error:
        reason = error.diag.message_primary or str(error)
        raise MigrationFailed(
            f"{migration.name} failed ({reason}): nothing of it was kept; correct it"
        ) from error

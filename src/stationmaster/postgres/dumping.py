"""A database in one file, and back: all of it or nothing, and never over something that lives.

`backup` may run beside servers: it sees one moment. `restore` fills an empty database in one transaction; in the
place of one that is not empty it makes a new one beside it, and the two change names only when that is complete.
"""

import asyncio
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import quote, urlsplit, urlunsplit

import psycopg
from psycopg.rows import DictRow
from psycopg.sql import SQL, Identifier

from stationmaster.postgres import programs
from stationmaster.postgres.connect import connect
from stationmaster.postgres.errors import DatabaseUnreachable, DumpFailed, DumpRefused
from stationmaster.postgres.migrate import migrate
from stationmaster.postgres.queries import load

QUERIES = load(Path(__file__).with_name("dumping.sql"))
MARK = "TABLE DATA stationmaster migrations"
WHOLE = ("--single-transaction", "--exit-on-error")
LEAVING_S = 2.0
MAINTENANCE = ("template1", "postgres")


@dataclass(frozen=True)
class Restored:
    """`migrations`: applied to what was restored. `before`: the name under which the database stays that was there."""

    database: str
    migrations: list[str]
    before: str | None = None


async def backup(uri: str, path: Path) -> int:
    """Write the database to a file that is not there yet; its bytes. DumpFailed leaves no file."""
    standing = await _standing(uri)
    return await asyncio.to_thread(_written, uri, standing["major"], path)


def _written(uri: str, major: int, path: Path) -> int:
    if path.exists():
        raise DumpRefused(f"{path} is there already: name another file, or remove it")
    if not path.parent.is_dir():
        raise DumpRefused(f"there is no directory {path.parent}: make it, or name another file")
    program = programs.for_dump(major)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        _dump(program, uri, part)
        os.link(part, path)  # refuses where a file came into being meanwhile
    except OSError as error:
        raise DumpFailed(f"{path} can't be written ({error.strerror}): name another file") from None
    finally:
        with suppress(FileNotFoundError):
            part.unlink()
    return path.stat().st_size


def _dump(program: Path, uri: str, part: Path) -> None:
    os.close(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))  # what people wrote is in it
    programs.run(program, "--format=custom", "--no-owner", "--no-privileges", f"--file={part}", uri=uri)
    descriptor = os.open(part, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


async def restore(uri: str, path: Path, *, replace: bool = False) -> Restored:
    """Bring a backup into the database, and its schema up to this version. DumpFailed, and nothing has changed, for a
    file that is not whole; DumpRefused for one that is no backup, and for a database that is not empty (unless
    `replace`) or in use."""
    standing = await _standing(uri)
    program = await asyncio.to_thread(programs.for_restore, standing["major"])
    await asyncio.to_thread(_require_backup, program, path)
    if not standing["relations"]:
        await asyncio.to_thread(_restore, program, path, uri)
        return Restored(standing["name"], await migrate(uri))
    if not replace:
        raise DumpRefused(
            f"the database {standing['name']} is not empty: restore into an empty one, or say --replace, "
            "which keeps this one under another name"
        )
    return await _beside(uri, standing["name"], program, path)


def _require_backup(program: Path, path: Path) -> None:
    if not path.is_file():
        raise DumpRefused(f"there is no file {path}: name one of `stationmaster db backup`")
    try:
        listed = programs.run(program, "--list", str(path))
    except DumpFailed as error:
        raise DumpRefused(
            f"{path} can't be read as a backup ({error}): name one of `stationmaster db backup`"
        ) from None
    if MARK not in listed:
        raise DumpRefused(f"{path} is a dump of something else: name one of `stationmaster db backup`")


def _restore(program: Path, path: Path, uri: str) -> None:
    """In one transaction: a file that ends too soon, or a kill, leaves the database as it was."""
    programs.run(program, *WHOLE, "--no-owner", "--no-privileges", str(path), uri=uri)


async def _beside(uri: str, name: str, program: Path, path: Path) -> Restored:
    """Restore into a new database, then give it the name; the old one stays, under another."""
    stamp = f"{datetime.now(UTC):%Y%m%d%H%M%S}"
    fresh, before = f"{name}_restoring_{stamp}", f"{name}_before_{stamp}"
    async with await _maintenance(uri, name) as conn:
        await _require_alone(conn, name)
        allowed = await (await conn.execute(QUERIES["may_create"])).fetchone()
        if not (allowed and allowed["allowed"]):
            raise DumpRefused(
                "the database user may not create databases: make an empty one, and restore into that"
            )
        await conn.execute(SQL("CREATE DATABASE {} TEMPLATE template0").format(Identifier(fresh)))
        try:
            await asyncio.to_thread(_restore, program, path, at(uri, fresh))
            migrations = await migrate(at(uri, fresh))
            await _swap(conn, {name: before, fresh: name})
        except BaseException:
            await conn.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(fresh)))
            raise
    return Restored(name, migrations, before)


async def _swap(conn: psycopg.AsyncConnection[DictRow], names: dict[str, str]) -> None:
    """All at once: there is no moment without a database of that name."""
    try:
        async with conn.transaction():
            for old, new in names.items():
                await conn.execute(
                    SQL("ALTER DATABASE {} RENAME TO {}").format(Identifier(old), Identifier(new))
                )
    except psycopg.errors.ObjectInUse as error:
        raise DumpFailed(
            f"somebody connected meanwhile ({error.diag.message_primary}): stop all servers and consoles, and try again"
        ) from None
    except psycopg.errors.InsufficientPrivilege as error:
        raise DumpFailed(
            f"the database can't be renamed ({error.diag.message_primary}): restore into an empty one"
        ) from None


async def _require_alone(conn: psycopg.AsyncConnection[DictRow], name: str) -> None:
    deadline = time.monotonic() + LEAVING_S  # sessions that were closed, ours among them, take a moment to go
    while others := await (await conn.execute(QUERIES["others"], {"name": name})).fetchall():
        if time.monotonic() > deadline:
            who = ", ".join(f"{row['name']} ({row['count']})" for row in others)
            raise DumpRefused(f"the database {name} is in use by {who}: stop all servers and consoles first")
        await asyncio.sleep(0.1)


async def _maintenance(uri: str, name: str) -> psycopg.AsyncConnection[DictRow]:
    """A connection to another database of the same server, from which this one can be renamed."""
    for other in MAINTENANCE:
        if other != name:
            try:
                return await connect(at(uri, other), autocommit=True)
            except DatabaseUnreachable:
                continue
    raise DumpRefused(
        f"no other database of the server can be connected to: restore into an empty one instead of {name}"
    )


def at(uri: str, database: str) -> str:
    """The same server, another database."""
    return urlunsplit(urlsplit(uri)._replace(path=f"/{quote(database, safe='')}"))


async def _standing(uri: str) -> DictRow:
    async with await connect(uri, autocommit=True) as conn:
        found = await (await conn.execute(QUERIES["standing"])).fetchone()
    if found is None:
        raise LookupError("a statement that always has a row had none")
    return found

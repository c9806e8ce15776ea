"""Backups and what becomes of them: whole or not at all, refused where they do not fit, never over what lives."""

import asyncio
import shutil
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from stationmaster.postgres import dumping, programs
from stationmaster.postgres.dumping import at, backup, restore
from stationmaster.postgres.errors import DumpFailed, DumpRefused
from stationmaster.postgres.migrate import DIRECTORY, migrate, migrations
from tests.conftest import clone

NOTE = "CREATE TABLE note (text text); INSERT INTO note SELECT md5(n::text) FROM generate_series(1, 20000) n"


# Cut where a restore has made tables: by the server, as when the machine under it goes.
CUT = """
CREATE FUNCTION cut() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
    IF to_regclass('reviews.reviews') IS NOT NULL THEN PERFORM pg_terminate_backend(pg_backend_pid()); END IF;
END $$;
CREATE EVENT TRIGGER cut ON ddl_command_end EXECUTE FUNCTION cut()
"""


def notes(uri: str) -> int:
    """How many notes there are; -1 without the table."""
    with psycopg.connect(uri, autocommit=True) as conn:
        found = conn.execute("SELECT to_regclass('note') IS NOT NULL").fetchone()
        if not (found and found[0]):
            return -1
        counted = conn.execute("SELECT count(*) FROM note").fetchone()
        return counted[0] if counted else 0


def names(uri: str, start: str) -> list[str]:
    """The databases whose names start so."""
    with psycopg.connect(uri, autocommit=True) as conn:
        query = "SELECT datname FROM pg_database WHERE starts_with(datname, %s) ORDER BY 1"
        return [row[0] for row in conn.execute(query, (start,)).fetchall()]


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def content(path: Path) -> bytes:
    return path.read_bytes()


def files(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def cut_off(path: Path, length: int) -> Path:
    """The beginning of a file, beside it."""
    cut = path.with_name("cut.dump")
    cut.write_bytes(path.read_bytes()[:length])
    return cut


def name_of(uri: str) -> str:
    return uri.split("?")[0].rpartition("/")[2]


@pytest.fixture
def filled(database: str) -> str:
    """A migrated database with notes in it."""
    with psycopg.connect(database, autocommit=True) as conn:
        conn.execute(NOTE)
    return database


@pytest.fixture
def removed(server: str) -> Iterator[list[str]]:
    """Databases whose names are noted here go after the test."""
    noted: list[str] = []
    yield noted
    with psycopg.connect(server, autocommit=True) as conn:
        for name in noted:
            conn.execute(SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(Identifier(name)))


@pytest.fixture
async def dump(filled: str, tmp_path: Path) -> Path:
    path = tmp_path / "all.dump"
    assert await backup(filled, path) == len(content(path)) > 10_000
    return path


async def test_there_and_back_into_an_empty_database(dump: Path, empty_database: str) -> None:
    assert files(dump.parent) == [dump.name] and await asyncio.to_thread(mode, dump) == 0o600
    done = await restore(empty_database, dump)
    assert (done.database, done.migrations, done.before) == (name_of(empty_database), [], None)
    assert notes(empty_database) == 20_000


async def test_an_older_backup_is_brought_up_to_date(
    server: str, empty_database: str, tmp_path: Path
) -> None:
    older, names = tmp_path / "older", [migration.name for migration in migrations()]
    shutil.copytree(DIRECTORY, older)
    (older / names[-1]).unlink()
    for uri in clone(server, "template0"):
        await migrate(uri, older)
        await backup(uri, tmp_path / "old.dump")
    assert (await restore(empty_database, tmp_path / "old.dump")).migrations == names[-1:]


async def test_a_backup_never_replaces_a_file(dump: Path, filled: str) -> None:
    before = content(dump)
    with pytest.raises(DumpRefused, match="there already"):
        await backup(filled, dump)
    assert content(dump) == before
    with pytest.raises(DumpRefused, match="there is no directory"):
        await backup(filled, dump.parent / "none" / "x.dump")


async def test_a_backup_that_fails_leaves_no_file(filled: str, tmp_path: Path) -> None:
    with psycopg.connect(filled) as conn:
        conn.execute("LOCK TABLE note")  # pg_dump waits for it
        work = asyncio.create_task(backup(filled, tmp_path / "x.dump"))
        with psycopg.connect(filled, autocommit=True) as other:
            query = (
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE application_name = 'pg_dump' AND wait_event_type = 'Lock' AND datname = current_database()"
            )
            deadline = time.monotonic() + 30
            while not other.execute(query).fetchall():
                assert time.monotonic() < deadline, "pg_dump never waited"
                await asyncio.sleep(0.05)
        with pytest.raises(DumpFailed, match="pg_dump failed"):
            await work
    assert files(tmp_path) == []


async def test_what_is_not_empty_is_not_touched(dump: Path, server: str, migrated_template: str) -> None:
    for uri in clone(server, migrated_template):
        with pytest.raises(DumpRefused, match="is not empty"):
            await restore(uri, dump)
        assert notes(uri) == -1


@pytest.mark.parametrize("share", [0.3, 0.99])
async def test_a_file_that_ends_too_soon_changes_nothing(
    share: float, dump: Path, empty_database: str
) -> None:
    with pytest.raises(DumpFailed):
        await restore(empty_database, cut_off(dump, int(len(content(dump)) * share)))
    with psycopg.connect(empty_database) as conn:
        left = conn.execute(
            "SELECT count(*) FROM pg_namespace WHERE nspname IN ('reviews', 'shop')"
        ).fetchone()
    assert left == (0,)
    assert (await restore(empty_database, dump)).migrations == []  # still empty: it can be done again
    assert notes(empty_database) == 20_000


async def test_a_restore_that_is_killed_half_way_changes_nothing(
    dump: Path, empty_database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(empty_database, autocommit=True) as conn:

        def killed(program: Path, *arguments: str, uri: str | None = None) -> str:
            if "--single-transaction" not in arguments:
                return run(program, *arguments, uri=uri)
            assert uri is not None
            conn.execute(CUT)
            try:
                return run(program, *arguments, uri=uri)
            finally:
                conn.execute("DROP EVENT TRIGGER cut; DROP FUNCTION cut()")

        run = programs.run
        monkeypatch.setattr(programs, "run", killed)
        with pytest.raises(DumpFailed, match="pg_restore failed"):
            await restore(empty_database, dump)
        monkeypatch.setattr(programs, "run", run)
        left = conn.execute("SELECT count(*) FROM pg_namespace WHERE nspname = 'reviews'").fetchone()
    assert left == (0,)
    await restore(empty_database, dump)
    assert notes(empty_database) == 20_000


async def test_replace_keeps_what_was_there_under_another_name(
    dump: Path, server: str, migrated_template: str, removed: list[str]
) -> None:
    for uri in clone(server, migrated_template):
        done = await restore(uri, dump, replace=True)
        assert done.before is not None and done.before.startswith(f"{name_of(uri)}_before_")
        removed.append(done.before)
        assert notes(uri) == 20_000 and notes(at(uri, done.before)) == -1


async def test_a_replacement_that_fails_leaves_everything_as_it_was(
    dump: Path, server: str, migrated_template: str
) -> None:
    cut = cut_off(dump, len(content(dump)) - 2000)
    for uri in clone(server, migrated_template):
        with pytest.raises(DumpFailed, match="pg_restore failed"):
            await restore(uri, cut, replace=True)
        assert notes(uri) == -1 and names(server, f"{name_of(uri)}_") == []


async def test_a_database_in_use_is_not_replaced(dump: Path, server: str, migrated_template: str) -> None:
    for uri in clone(server, migrated_template):
        with (
            psycopg.connect(uri, application_name="stationmaster server"),
            pytest.raises(DumpRefused, match=r"in use by stationmaster server \(1\): stop all servers"),
        ):
            await restore(uri, dump, replace=True)


async def test_a_user_who_may_create_no_database_is_told_so(
    dump: Path, server: str, migrated_template: str
) -> None:
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute("CREATE ROLE plain_one LOGIN")
        try:
            for uri in clone(server, migrated_template):
                with pytest.raises(DumpRefused, match="may not create databases"):
                    await restore(uri.replace("postgres@", "plain_one@", 1), dump, replace=True)
        finally:
            conn.execute("DROP ROLE plain_one")


async def test_a_backup_of_a_newer_stationmaster_takes_no_place(
    filled: str, server: str, migrated_template: str, tmp_path: Path
) -> None:
    with psycopg.connect(filled, autocommit=True) as conn:
        conn.execute("INSERT INTO stationmaster.migrations (name, checksum) VALUES ('0999_later.sql', 'x')")
    await backup(filled, tmp_path / "newer.dump")
    for uri in clone(server, migrated_template):
        with pytest.raises(Exception, match="use the version that made it"):
            await restore(uri, tmp_path / "newer.dump", replace=True)
        assert notes(uri) == -1 and names(server, f"{name_of(uri)}_") == []


async def test_what_is_no_backup_is_refused(empty_database: str, tmp_path: Path) -> None:
    with pytest.raises(DumpRefused, match="there is no file"):
        await restore(empty_database, tmp_path / "none")
    (tmp_path / "text").write_text("DROP TABLE note;" * 100)
    with pytest.raises(DumpRefused, match="can't be read as a backup"):
        await restore(empty_database, tmp_path / "text")
    other = tmp_path / "other.dump"
    program = programs.for_dump(18)
    await asyncio.to_thread(
        programs.run, program, "--format=custom", f"--file={other}", uri=at(empty_database, "template1")
    )
    with pytest.raises(DumpRefused, match="dump of something else"):
        await restore(empty_database, other)


def program(directory: Path, name: str, version: str) -> Path:
    """One that only says its version."""
    directory.mkdir(exist_ok=True)
    path = directory / name
    path.write_text(f"#!/bin/sh\necho '{name} (PostgreSQL) {version}'\n")
    path.chmod(0o755)
    return path


def test_a_newer_server_is_refused_unless_a_newer_pg_dump_is_there(tmp_path: Path) -> None:
    ours, newer = tmp_path / "ours", tmp_path / "newer"
    program(ours, "pg_dump", "18.4")
    with pytest.raises(
        DumpFailed, match=r"the server is Postgres 19, and pg_dump here is 18.*put pg_dump of 19 on PATH"
    ):
        programs.for_dump(19, (ours,))
    wanted = program(newer, "pg_dump", "19beta2")
    assert programs.for_dump(19, (ours, newer)) == wanted
    assert programs.for_dump(17, (ours, newer)) == ours / "pg_dump"
    older = program(tmp_path / "older", "pg_dump", "15.9")
    assert programs.for_dump(15, (ours, older.parent)) == older  # what it writes, the server can take back
    assert programs.for_dump(16, (ours, older.parent)) == ours / "pg_dump"
    with pytest.raises(DumpRefused, match="pg_dump here is missing"):
        programs.for_dump(18, ())


def test_an_older_server_gets_a_pg_restore_that_it_understands(tmp_path: Path) -> None:
    ours, older = tmp_path / "ours", tmp_path / "older"
    program(ours, "pg_restore", "18.4")
    assert programs.for_restore(17, (ours,)) == ours / "pg_restore"
    with pytest.raises(
        DumpFailed, match="the server is Postgres 15, which does not understand pg_restore 18"
    ):
        programs.for_restore(15, (ours,))
    wanted = program(older, "pg_restore", "15.9 (Debian 15.9-0)")
    assert programs.for_restore(15, (ours, older)) == wanted


async def test_a_password_is_not_in_the_command_line(tmp_path: Path) -> None:
    shown = tmp_path / "show"
    shown.write_text('#!/bin/sh\necho "$@" "and $PGPASSWORD"\n')
    shown.chmod(0o755)
    said = programs.run(shown, uri="postgresql://me:s3cret@host:5/name?sslmode=require")
    arguments, _, password = said.strip().partition("and ")
    assert "s3cret" not in arguments and "sslmode=require" in arguments and password == "s3cret"


def test_the_database_of_a_uri_is_changed_and_nothing_else() -> None:
    assert dumping.at("postgresql://u:p@h:1/a?x=%2Fy", "b c") == "postgresql://u:p@h:1/b%20c?x=%2Fy"
    assert (
        dumping.at("postgresql://postgres@/postgres?host=%2Ftmp", "b")
        == "postgresql://postgres@/b?host=%2Ftmp"
    )

"""A database that can't be reached: one line with host and port, what to do, and never the password."""

import socket
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from stationmaster.postgres import connect, ensure
from stationmaster.postgres.errors import DatabaseUnreachable
from stationmaster.settings import Settings, load_settings

SECRET = "t0p-Secret"


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Accepts connections and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener.getsockname()[1]


@pytest.fixture
def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


async def refused(uri: str) -> str:
    with pytest.raises(DatabaseUnreachable) as caught:
        await connect(uri)
    message = str(caught.value)
    assert caught.value.exit_code == 2
    assert "\n" not in message
    assert "DATABASE_URI" in message
    assert SECRET not in message
    return message


async def test_nothing_listens(closed_port: int) -> None:
    message = await refused(f"postgresql://desk:{SECRET}@127.0.0.1:{closed_port}/shop")
    assert message.startswith(f"no database at 127.0.0.1 port {closed_port} (")
    assert "Connection refused" in message


async def test_the_host_says_nothing(silent_port: int) -> None:
    message = await refused(f"postgresql://desk:{SECRET}@127.0.0.1:{silent_port}/shop?connect_timeout=1")
    assert message.startswith(f"no database at 127.0.0.1 port {silent_port} (connection timeout expired)")


async def test_a_wrong_password(password_server: str) -> None:
    message = await refused(password_server.replace("PASSWORD", SECRET))
    assert "password authentication failed" in message
    async with await connect(password_server.replace("PASSWORD", "right")) as conn:
        assert await (await conn.execute("SELECT 1 AS one")).fetchone() == {"one": 1}


@pytest.fixture
def password_server(server: str) -> Iterator[str]:
    """The session's server, asking one user for a password; PASSWORD stands for it in the URI."""
    with psycopg.connect(server, autocommit=True) as conn:
        row = conn.execute("SHOW hba_file").fetchone()
        assert row is not None
        rules = Path(row[0])
        before = rules.read_text()
        conn.execute("CREATE ROLE locked LOGIN PASSWORD 'right'")
        rules.write_text("local all locked scram-sha-256\n" + before)
        conn.execute("SELECT pg_reload_conf()")
        yield server.replace("postgres@", "locked:PASSWORD@", 1)
        rules.write_text(before)
        conn.execute("SELECT pg_reload_conf()")
        conn.execute("DROP ROLE locked")


@pytest.mark.parametrize(
    "rest",
    [
        f"desk:pa@{SECRET}@127.0.0.1:5432/shop",
        f"desk:1@{SECRET}:1@127.0.0.1/shop",
        f"desk:12/{SECRET}@127.0.0.1/shop",
        f"desk:{SECRET}/x@127.0.0.1/shop",
        f"desk:%zz{SECRET}@127.0.0.1/shop",
        f"desk:{SECRET}@127.0.0.1:port/shop",
        f"desk:{SECRET}@127.0.0.1/shop?connect_timeout=soon",
    ],
)
async def test_a_uri_that_falls_apart_is_not_shown(rest: str) -> None:
    assert "can't be read" in await refused(f"postgresql://{rest}")


async def test_ensure_migrates_an_external_database_and_answers_its_uri(
    empty_database: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URI", empty_database)
    settings: Settings = load_settings()
    assert await ensure(settings) == empty_database
    async with await connect(empty_database) as conn:
        row = await (await conn.execute("SELECT count(*) AS n FROM stationmaster.migrations")).fetchone()
    assert row is not None
    assert row["n"] > 0
    assert not settings.data_dir.exists()


async def test_ensure_reports_an_external_database_that_is_away(
    closed_port: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DATABASE_URI", f"postgresql://desk:{SECRET}@127.0.0.1:{closed_port}/shop")
    with pytest.raises(DatabaseUnreachable):
        await ensure(load_settings())

"""What the server's composition root tells the SQL operator: whose server it is, and as whom statements run."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from agents.shared import database
from agents.sql_operator.access import configure, logins
from stationmaster.server.app import create_app
from stationmaster.settings import load_settings


@pytest.fixture
def somewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting but those of the test."""
    monkeypatch.chdir(tmp_path)
    for name in ("STATIONMASTER_DATABASE_URI", "DATABASE_URI"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    configure()
    database.configure(None)


@pytest.mark.usefixtures("somewhere")
def test_the_embedded_server_is_ours_and_another_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    create_app(load_settings())
    assert (logins.state.own_server, logins.state.uris) == (True, {})
    monkeypatch.setenv("STATIONMASTER_DATABASE_URI", "postgresql://shop@db.example/shop")
    create_app(load_settings())
    assert not logins.state.own_server


@pytest.mark.usefixtures("somewhere")
def test_roles_that_an_administrator_made_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    uris = {login: f"postgresql://desk_{login}:kept-back@db.example/shop" for login in logins.LOGINS}
    for login, uri in uris.items():
        monkeypatch.setenv(f"STATIONMASTER_SQL_{login.upper()}_URI", uri)
    settings = load_settings()
    assert "kept-back" not in repr(settings)
    create_app(settings)
    assert logins.state.uris == uris

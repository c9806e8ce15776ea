"""On a server of one's own: a database user who may not create roles, and the script for its administrator."""

import re
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from agents.shared import database
from agents.sql_operator import access
from agents.sql_operator.access.grants import statements
from agents.sql_operator.access.logins import LOGINS
from stationmaster.postgres import migrate
from stationmaster.shop.seed import seed
from tests.agents.sql_operator.in_process import SET_LEVEL, Desk, hurry, rows, writes
from tests.conftest import database_uri

PAGE = Path(__file__).parents[3] / "docs" / "agents" / "sql_operator.md"
OWNER, DATABASE = "shop_owner", "external"


def script() -> str:
    """The SQL that the page tells an administrator to run."""
    found = re.search(r"```sql\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert found
    return found[1]


def test_the_script_on_the_page_grants_what_the_code_grants() -> None:
    wanted = [
        f"{one.as_string(None)};".replace('"', "")
        for login in LOGINS
        for one in statements(login, f"desk_{login}")
    ]
    assert script().strip().splitlines()[2:] == wanted


@pytest.fixture
async def external(server: str) -> AsyncIterator[str]:
    """A database whose owner may create nothing but what is in it; its URI as that owner."""
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(SQL("create role {} login").format(Identifier(OWNER)))
        conn.execute(SQL("create database {} owner {}").format(Identifier(DATABASE), Identifier(OWNER)))
    uri = database_uri(server, DATABASE).replace("//postgres@", f"//{OWNER}@")
    await migrate(uri)
    await seed(uri)
    database.configure(uri)
    access.configure()
    yield uri
    await database.close()
    database.configure(None)
    access.configure()
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(SQL("drop database {} with (force)").format(Identifier(DATABASE)))
        for role in (OWNER, "desk_reader", "desk_writer"):
            conn.execute(SQL("drop role if exists {}").format(Identifier(role)))


async def test_without_the_right_to_create_roles_it_says_what_to_do_and_then_works(
    external: str, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    hurry(monkeypatch)
    state = await Desk.open().ask(SET_LEVEL)
    assert state.get("outcome") == "unavailable"
    (letter,) = rows(external, "select reason from shop.dead_letters")
    assert "the database's user may not create the roles" in letter["reason"]
    assert "set STATIONMASTER_SQL_READER_URI and STATIONMASTER_SQL_WRITER_URI" in letter["reason"]

    administrator = database_uri(server, DATABASE)
    with psycopg.connect(administrator) as conn:
        conn.execute(script().encode())
    uris = {login: administrator.replace("//postgres@", f"//desk_{login}@") for login in LOGINS}
    access.configure(reader=uris["reader"], writer=uris["writer"])
    talk = Desk.open()
    await talk.ask(SET_LEVEL)
    assert (await talk.approve()).get("outcome") == "changed"
    assert writes(external, talk) == 1
    talk = Desk.open()
    await talk.ask("How many orders are there?")
    assert (await talk.approve()).get("outcome") == "answered"


async def test_an_owner_who_may_create_roles_makes_them_without_being_a_superuser(
    external: str, server: str
) -> None:
    with psycopg.connect(server, autocommit=True) as conn:
        conn.execute(SQL("alter role {} createrole").format(Identifier(OWNER)))
    access.configure(own_server=True)  # nothing to take back: that needs a superuser, and is left out
    try:
        talk = Desk.open()
        await talk.ask(SET_LEVEL)
        assert (await talk.state())["degraded"] == []
        assert (await talk.approve()).get("outcome") == "changed"
    finally:
        made = rows(external, "select role from desk.logins")
        with psycopg.connect(database_uri(server, DATABASE), autocommit=True) as conn:
            for row in made:
                conn.execute(SQL("drop owned by {}").format(Identifier(row["role"])))
                conn.execute(SQL("drop role {}").format(Identifier(row["role"])))

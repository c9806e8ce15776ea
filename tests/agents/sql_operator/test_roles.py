"""The database's half of the guard: the same side doors, sent past the parser, straight to the roles."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict
from psycopg.sql import SQL, Identifier

from agents.sql_operator.access import RoleTooStrong, configure, fetch, logins, sessions
from agents.sql_operator.access.logins import LOGINS, Login
from tests.agents.sql_operator.abuses import ROLES_ALLOW, SIDE_DOORS
from tests.agents.sql_operator.in_process import level, rows

OPEN_ELSEWHERE = {
    "set a setting", "set a setting, qualified", "do", "sleep", "sleep for", "a query in a text", "notify by function",
    "lock", "temporary table", "make a large object", "see other sessions", "end another session",
}  # fmt: skip
"""What Postgres lets everybody do by default, and only the owner of a server may take back."""

FINGERPRINT = """
select (select count(*) from pg_class where relnamespace <> 'pg_toast'::regnamespace) as relations,
       (select count(*) from pg_proc) as functions, (select count(*) from pg_largeobject_metadata) as large_objects,
       (select count(*) from pg_roles where rolsuper) as superusers, (select count(*) from desk.writes) as writes,
       (select md5(string_agg(s::text, ',' order by tenant, sku)) from desk.stock s) as stock,
       (select count(*) from desk.purchase_requests) as requests, (select count(*) from shop.orders) as orders,
       (select count(*) from pg_policies) as policies"""


@contextmanager
def as_role(uri: str, ticket: str | None = None) -> Iterator[psycopg.Connection[Any]]:
    """A session as the role that forgets every limit of its own but the time."""
    options = "-c default_transaction_read_only=off -c statement_timeout=400"
    with psycopg.connect(uri, autocommit=True, options=options) as conn:
        if ticket:
            conn.execute("begin")
            conn.execute("select desk.enter(%s)", (ticket,))
        yield conn


@pytest.mark.parametrize("login", LOGINS)
async def test_every_side_door_is_shut_for_the_roles_too(desk: str, login: Login) -> None:
    uri, before = await logins.uri_of(login), rows(desk, FINGERPRINT)
    opened = []
    for name, door in SIDE_DOORS.items():
        async with sessions.ticketed("main") as ticket:
            with as_role(uri, ticket) as conn:
                try:
                    conn.execute(door.encode())
                except psycopg.Error:
                    continue
                finally:
                    if not conn.closed:
                        conn.execute("rollback")
                opened.append(name)
    assert set(opened) <= ROLES_ALLOW, opened
    assert rows(desk, FINGERPRINT) == before


@pytest.mark.parametrize("login", LOGINS)
async def test_on_a_server_of_others_what_stays_open_comes_to_nothing(
    agents_on_seeded_database: str, login: Login
) -> None:
    configure(own_server=False)
    uri, before = await logins.uri_of(login), rows(agents_on_seeded_database, FINGERPRINT)
    opened = set()
    for name, door in SIDE_DOORS.items():
        with as_role(uri) as conn:
            try:
                conn.execute("begin read only")
                conn.execute(door.encode())
            except psycopg.Error:
                continue
            finally:
                conn.execute("rollback")
            opened.add(name)
    assert opened <= ROLES_ALLOW | OPEN_ELSEWHERE
    assert not {"sleep", "sleep for"} & opened  # ended by the timeout
    assert rows(agents_on_seeded_database, FINGERPRINT) == before


async def test_a_setting_changes_neither_role_nor_tenant_nor_limits(agents_on_seeded_database: str) -> None:
    configure(own_server=False)
    with as_role(await logins.uri_of("reader")) as conn:
        for role in ("postgres", (await logins.uri_of("writer")).partition("user=")[2].partition(" ")[0]):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute("select set_config('role', %s, false)", (role,))
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                conn.execute("select set_config('session_authorization', %s, false)", (role,))
        conn.execute("begin read only")
        conn.execute("select 1 from desk.stock")
        with pytest.raises(psycopg.Error, match="must be set before any query"):
            conn.execute("select set_config('transaction_read_only', 'off', true)")
        conn.execute("rollback")
        conn.execute("begin")
        conn.execute("select desk.enter('guessed')")
        assert conn.execute("select count(*) from desk.stock").fetchone() == (0,)
        conn.execute("rollback")


async def test_a_timeout_that_is_set_in_a_statement_does_not_hold_for_it(
    agents_on_seeded_database: str,
) -> None:
    configure(own_server=False)
    with as_role(await logins.uri_of("reader")) as conn, pytest.raises(psycopg.errors.QueryCanceled):
        conn.execute("select set_config('statement_timeout', '0', false), pg_sleep(30)")


async def test_the_roles_can_not_fill_the_disk(desk: str) -> None:
    with as_role(await logins.uri_of("reader")) as conn:
        assert conn.execute("show temp_file_limit").fetchone() == ("256MB",)
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            conn.execute("set temp_file_limit = -1")


async def test_what_the_writer_may_do_stays_within_its_columns(desk: str) -> None:
    async with sessions.ticketed("main") as ticket:
        with as_role(await logins.uri_of("writer"), ticket) as conn:
            conn.execute("update desk.stock set reorder_level = 44 where sku = 'P9001-1'")
            conn.execute("commit")
    assert level(desk) == 44
    with as_role(await logins.uri_of("reader")) as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute("update desk.stock set reorder_level = 45 where sku = 'P9001-1'")
    assert level(desk) == 44


async def test_making_the_roles_again_changes_nothing(desk: str) -> None:
    first = {login: await logins.uri_of(login) for login in LOGINS}
    configure()
    configure(own_server=True)
    assert {login: await logins.uri_of(login) for login in LOGINS} == first


async def test_rights_are_made_again_after_a_restore(own_desk: str) -> None:
    """A backup holds none: every function is everybody's then, and the roles see nothing."""
    writer, reader = await logins.uri_of("writer"), await logins.uri_of("reader")
    with psycopg.connect(own_desk) as conn:
        conn.execute("grant execute on all functions in schema desk to public")
        for uri in (writer, reader):
            role = conninfo_to_dict(uri)["user"]
            conn.execute(
                SQL("revoke select on all tables in schema desk from {}").format(Identifier(str(role)))
            )
    configure()
    configure(own_server=True)
    assert (await fetch("SELECT COUNT(*) FROM desk.orders", tenant="main", timeout_s=3, limit=1)).rows[0][
        0
    ] > 0
    with as_role(reader) as conn, pytest.raises(psycopg.errors.InsufficientPrivilege):
        conn.execute("select desk.note_write('k', 's', 1)")


async def test_a_role_that_may_more_is_never_used(desk: str) -> None:
    configure(reader=desk, writer=desk)
    with pytest.raises(RoleTooStrong, match="connects as somebody who may do more") as caught:
        await fetch("SELECT 1", tenant="main", timeout_s=1, limit=1)
    assert "postgres" not in str(caught.value), "which one is for the log"
    assert "postgres" in caught.value.detail


def test_one_uri_without_the_other_is_refused() -> None:
    with pytest.raises(ValueError, match="set both or neither"):
        configure(reader="postgresql://reader@127.0.0.1/shop")


async def test_a_role_without_a_ticket_sees_nothing(desk: str) -> None:
    with as_role(await logins.uri_of("reader")) as conn:
        for table in ("orders", "customers", "order_items", "refunds", "stock", "suppliers"):
            query = SQL("select count(*) from desk.{}").format(SQL(table))
            assert conn.execute(query).fetchone() == (0,)

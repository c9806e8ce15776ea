"""As whom statements run: a reader and a writer, each with a login of its own.

Logins and not SET ROLE from the owner's session: from that a statement finds its way back (`set_config('role', ...)`).
Roles belong to the whole server, so their names hold the database's; the graph makes them when it first needs them, as
the owner of the database. Where that user may not create roles, an administrator makes two and their URIs are given
to `configure`; docs/agents/sql_operator.md has the script.
"""

import asyncio
import secrets
from dataclasses import dataclass, field
from typing import Literal
from weakref import WeakKeyDictionary

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Identifier
from psycopg.sql import Literal as SqlLiteral

from agents.shared.database import Connection, DatabaseUnavailable, connection
from agents.shared.errors import PermanentError
from agents.shared.queries import load
from agents.sql_operator.access.grants import grant, harden

_QUERIES = load(__file__)
Login = Literal["reader", "writer"]
LOGINS: tuple[Login, ...] = ("reader", "writer")
CONNECT_S = 5
MISSING = (
    "the database's user may not create the roles under which statements run: have an administrator run the "
    "script in docs/agents/sql_operator.md, and set STATIONMASTER_SQL_READER_URI and STATIONMASTER_SQL_WRITER_URI"
)


class RolesMissing(PermanentError):
    """There is no restricted role to run statements as, and this user may not make one."""


class RoleTooStrong(PermanentError):
    """What is configured as a restricted role is not restricted."""


@dataclass
class _State:
    """`uris` as configured; else what was made, by loop and address, so that it is made once a process."""

    uris: dict[Login, str] = field(default_factory=dict)
    own_server: bool = False
    made: dict[str, dict[Login, str]] = field(default_factory=dict)
    locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = field(
        default_factory=WeakKeyDictionary
    )


state = _State()


def configure(*, reader: str | None = None, writer: str | None = None, own_server: bool = False) -> None:
    """URIs of two roles that an administrator made; without them the graph makes its own.

    `own_server`: the database server is nobody else's, so what everybody may do there by default is taken back
    (`set_config`, `pg_sleep`, large objects, DO). On a shared server that would break others.
    """
    if (reader is None) != (writer is None):
        raise ValueError(
            "of STATIONMASTER_SQL_READER_URI and STATIONMASTER_SQL_WRITER_URI one is set: set both or neither"
        )
    given: dict[Login, str | None] = {"reader": reader, "writer": writer}
    uris: dict[Login, str] = {login: uri for login in LOGINS if (uri := given[login])}
    if (uris, own_server) != (state.uris, state.own_server):
        state.uris, state.own_server = uris, own_server
        state.made.clear()


async def uri_of(login: Login) -> str:
    """Where to connect as that role; made, with its rights, on first use.

    Raises RolesMissing, RoleTooStrong, DatabaseUnavailable.
    """
    async with connection() as conn:
        key = make_conninfo(**conn.info.get_parameters())
    lock = state.locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
    async with lock:
        if key not in state.made:
            made = state.uris if len(state.uris) == len(LOGINS) else await _make()
            for name in LOGINS:
                await _see_that_it_is_weak(name, made[name])
            state.made[key] = made
    return state.made[key][login]


async def connected(uri: str) -> psycopg.AsyncConnection[TupleRow]:
    """A new connection as a restricted role. Raises DatabaseUnavailable."""
    try:
        return await psycopg.AsyncConnection.connect(uri, connect_timeout=CONNECT_S)
    except psycopg.OperationalError as error:
        raise DatabaseUnavailable("no connection as the restricted role") from error


async def _see_that_it_is_weak(login: Login, uri: str) -> None:
    async with await connected(uri) as session:
        row = await (await session.execute(_QUERIES["strong"])).fetchone()
    if row is None or row[1]:
        raise RoleTooStrong(
            f"the {login} of the SQL operator connects as somebody who may do more than that: name a role made by the "
            "script in docs/agents/sql_operator.md",
            detail=f"role {row[0] if row else 'nobody'}",
        )


async def _make() -> dict[Login, str]:
    """Roles, passwords and rights as this version wants them; again and again is fine, also by several at once."""
    async with connection() as conn:
        try:
            await conn.execute(_QUERIES["lock"])
            base = {**conn.info.get_parameters(), "application_name": "stationmaster sql_operator"}
            made: dict[Login, str] = {}
            roles: list[str] = []
            for login in LOGINS:
                role, password = await _login(conn, login)
                roles.append(role)
                await grant(conn, login, role)
                made[login] = make_conninfo(**{**base, "user": role, "password": password})
            if state.own_server:
                await harden(conn, roles)
        except psycopg.errors.InsufficientPrivilege as error:
            raise RolesMissing(MISSING, detail=f"user {conn.info.user}") from error
    return made


async def _login(conn: Connection, login: Login) -> tuple[str, str]:
    """(role, password): created if it is not there, its password as this database keeps it."""
    found = await (await conn.execute(_QUERIES["login"], {"login": login})).fetchone()
    assert found is not None
    role, password = found["role"], found["password"]
    if password is None:
        password = secrets.token_hex(24)
        await conn.execute(_QUERIES["keep"], {"role": role, "password": password})
    if not found["there"]:
        await conn.execute(SQL("create role {} login").format(Identifier(role)))
    await conn.execute(
        SQL("alter role {} login noinherit connection limit 40 password {}").format(
            Identifier(role), SqlLiteral(password)
        )
    )
    return role, password

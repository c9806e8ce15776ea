"""Users: who they are, which groups' reviews they see, and what their roles let them do."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, LiteralString

import psycopg

from stationmaster.postgres.queries import load
from stationmaster.reviews.access import passwords
from stationmaster.reviews.access.errors import BadUser, NoSuchUser, UserExists
from stationmaster.reviews.access.identity import EVERY_GROUP, ROLES
from stationmaster.reviews.audit.recording import record
from stationmaster.reviews.database import Connection, Pool

NAME = re.compile(r"[a-z0-9](?:[a-z0-9._@+-]{0,98}[a-z0-9])?")
GROUP = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9 ._:/@+-]{0,126}[A-Za-z0-9])?")

QUERIES = load(Path(__file__).parent / "users.sql")
ADD = QUERIES["add"]
FIND = QUERIES["find"]
LIST = QUERIES["list"]
REMOVE = QUERIES["remove"]
COUNT = QUERIES["count"]
SET_PASSWORD = QUERIES["set_password"]
SET_GROUPS = QUERIES["set_groups"]
SET_ROLES = QUERIES["set_roles"]


@dataclass(frozen=True)
class User:
    """One row; `from_provider`: an OpenID Connect provider vouches for the user, and sets groups and roles."""

    name: str
    roles: tuple[str, ...]
    groups: tuple[str, ...]
    has_password: bool
    from_provider: bool
    created_at: datetime
    signed_in_at: datetime | None


async def add(
    pool: Pool,
    name: str,
    *,
    roles: Iterable[str] = ("reviewer",),
    groups: Iterable[str] = (),
    password: str | None = None,
    by: str | None = None,
) -> User:
    """A new local user. Without a password only a one-time link or a token gets in. BadUser, UserExists.

    Here and below: a change is in the audit as that of `by`, if it is given.
    """
    hash_ = await passwords.hashed(password) if password is not None else None
    row = {
        "name": checked_name(name), "roles": checked_roles(roles), "groups": checked_groups(groups),
        "password_hash": hash_,
    }  # fmt: skip
    try:
        async with pool.connection() as conn:
            added = await (await conn.execute(ADD, row)).fetchone()
            granted = {"roles": row["roles"], "groups": row["groups"], "password": hash_ is not None}
            await note(conn, by, "user_added", {"user": row["name"], **granted})
    except psycopg.errors.UniqueViolation:
        raise UserExists(f"there is a user {name} already: choose another name") from None
    return _user(added or {})


async def find(pool: Pool, name: str) -> User:
    """The user, or NoSuchUser."""
    async with pool.connection() as conn:
        row = await (await conn.execute(FIND, {"name": name.casefold()})).fetchone()
    if row is None:
        raise _unknown(name)
    return _user(row)


async def everybody(pool: Pool) -> list[User]:
    """All users by name."""
    async with pool.connection() as conn:
        return [_user(row) for row in await (await conn.execute(LIST)).fetchall()]


async def nobody_yet(pool: Pool) -> bool:
    """Whether there is no user at all, so that nobody could sign in."""
    async with pool.connection() as conn:
        row = await (await conn.execute(COUNT)).fetchone()
    return row is not None and row["users"] == 0


async def remove(pool: Pool, name: str, *, by: str | None = None) -> None:
    """Gone with sessions, tokens and links; what they decided stays on record under the name."""
    await _changed(pool, REMOVE, {"name": name.casefold()}, name, by, "user_removed")


async def set_password(pool: Pool, name: str, password: str, *, by: str | None = None) -> None:
    """A new password; every session of the user ends, for whoever knew the old one may sit in one."""
    await find(pool, name)
    hash_ = await passwords.hashed(password)
    parameters = {"name": name.casefold(), "password_hash": hash_}
    await _changed(pool, SET_PASSWORD, parameters, name, by, "password_set")


async def set_groups(pool: Pool, name: str, groups: Iterable[str], *, by: str | None = None) -> None:
    """The groups from now on, in sessions under way too."""
    parameters = {"name": name.casefold(), "groups": checked_groups(groups)}
    await _changed(pool, SET_GROUPS, parameters, name, by, "groups_set", "groups")


async def set_roles(pool: Pool, name: str, roles: Iterable[str], *, by: str | None = None) -> None:
    """The roles from now on, in sessions under way too."""
    parameters = {"name": name.casefold(), "roles": checked_roles(roles)}
    await _changed(pool, SET_ROLES, parameters, name, by, "roles_set", "roles")


def checked_name(name: str) -> str:
    """The name in the one form in which it is kept, or BadUser."""
    folded = name.casefold()
    if not NAME.fullmatch(folded):
        raise BadUser(f"{name!r} is no user's name: use letters, digits and . _ @ + - (at most 100)")
    return folded


def checked_roles(roles: Iterable[str]) -> list[str]:
    found = sorted(set(roles), key=lambda role: ROLES.index(role) if role in ROLES else -1)
    unknown = [role for role in found if role not in ROLES] if found else ["nothing"]
    if unknown:
        raise BadUser(f"{unknown[0]} is no role: give one of {', '.join(ROLES)}")
    return found


def checked_groups(groups: Iterable[str]) -> list[str]:
    found = sorted(set(groups))
    if bad := [group for group in found if group != EVERY_GROUP and not GROUP.fullmatch(group)]:
        raise BadUser(f"{bad[0]!r} is no group's name: use letters, digits and . _ : / @ + - (at most 128)")
    return found


async def note(conn: Connection, by: str | None, action: str, detail: dict[str, Any]) -> None:
    """In the audit, if it is known who does it. Never a secret in `detail`."""
    if by is not None:
        await record(conn, review_id=None, actor=by, action=action, detail=detail)


async def _changed(
    pool: Pool, statement: LiteralString, parameters: Mapping[str, object], name: str, by: str | None, action: str,
    *told: str,
) -> None:  # fmt: skip
    """`told`: the parameters that the audit is told beside the name."""
    async with pool.connection() as conn:
        if await (await conn.execute(statement, parameters)).fetchone() is None:
            raise _unknown(name)
        await note(conn, by, action, {"user": name.casefold(), **{key: parameters[key] for key in told}})


def _unknown(name: str) -> NoSuchUser:
    return NoSuchUser(f"there is no user {name}: `stationmaster users list` shows those there are")


def _user(row: dict[str, Any]) -> User:
    return User(
        name=row["name"], roles=tuple(row["roles"]), groups=tuple(row["groups"]), has_password=row["has_password"],
        from_provider=row["from_provider"], created_at=row["created_at"], signed_in_at=row["signed_in_at"],
    )  # fmt: skip

"""Tokens for programs: shown once, kept as a hash, with an end and a last use."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg

from stationmaster.postgres.queries import load
from stationmaster.reviews.access import secret, users
from stationmaster.reviews.access.errors import BadUser, NoSuchToken, NoSuchUser, UserExists
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Pool

PREFIX = "smt"
DEFAULT_DAYS = 90
MAX_LABEL = 100

QUERIES = load(Path(__file__).parent / "tokens.sql")
CREATE = QUERIES["create"]
LIST = QUERIES["list"]
REVOKE = QUERIES["revoke"]
USE = QUERIES["use"]


@dataclass(frozen=True)
class Token:
    """One token without its secret."""

    id: str
    user: str
    label: str
    created_at: datetime
    expires_at: datetime | None
    last_used_at: datetime | None
    revoked_at: datetime | None


async def create(
    pool: Pool, user: str, label: str, *, days: float | None = DEFAULT_DAYS, by: str | None = None
) -> tuple[str, Token]:
    """The secret, which can't be shown again, and its row. `days` None: it never expires."""
    if not label.strip() or len(label) > MAX_LABEL or not label.isprintable():
        raise BadUser(f"a token's label has 1 to {MAX_LABEL} printable characters: say what it is for")
    if days is not None and days <= 0:
        raise BadUser("a token that has expired already is of no use: give more than 0 days")
    made = secret.new(PREFIX)
    parameters = {
        "user": user.casefold(), "label": label.strip(), "digest": secret.digest(made),
        "lifetime": timedelta(days=days) if days is not None else None,
    }  # fmt: skip
    try:
        async with pool.connection() as conn:
            row = await (await conn.execute(CREATE, parameters)).fetchone()
            made_of = {"user": parameters["user"], "label": parameters["label"], "days": days}
            await users.note(conn, by, "token_made", made_of)
    except psycopg.errors.ForeignKeyViolation:
        raise NoSuchUser(f"there is no user {user}: add one with `stationmaster users add`") from None
    except psycopg.errors.UniqueViolation:
        raise UserExists(
            f"{user} has a token {label!r} already: revoke it, or choose another label"
        ) from None
    return made, _token(row or {})


async def of(pool: Pool, user: str | None = None) -> list[Token]:
    """All tokens, of one user or of everybody, revoked and expired ones too."""
    async with pool.connection() as conn:
        rows = await (await conn.execute(LIST, {"user": user and user.casefold()})).fetchall()
    return [_token(row) for row in rows]


async def revoke(pool: Pool, user: str, label: str, *, by: str | None = None) -> None:
    """From now on the token opens nothing."""
    async with pool.connection() as conn:
        row = await (await conn.execute(REVOKE, {"user": user.casefold(), "label": label})).fetchone()
        if row is None:
            raise NoSuchToken(
                f"{user} has no valid token {label!r}: `stationmaster users token list` shows them"
            )
        await users.note(conn, by, "token_revoked", {"user": user.casefold(), "label": label})


async def identify(pool: Pool, sent: str) -> Identity | None:
    """Whose token it is, with the groups and roles that its owner has now; the use is noted."""
    async with pool.connection() as conn:
        row = await (await conn.execute(USE, {"digest": secret.digest(sent)})).fetchone()
    if row is None:
        return None
    return Identity(
        row["name"], frozenset(row["groups"]), frozenset(row["roles"]), credential=f"token:{row['token_id']}"
    )


def _token(row: dict[str, Any]) -> Token:
    return Token(
        id=str(row["token_id"]), user=row["user_name"], label=row["label"], created_at=row["created_at"],
        expires_at=row["expires_at"], last_used_at=row["last_used_at"], revoked_at=row["revoked_at"],
    )  # fmt: skip

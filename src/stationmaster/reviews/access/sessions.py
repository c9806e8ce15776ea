"""Browser sessions: a random cookie, of which the database keeps the hash; they end, one by one or all at once."""

from datetime import timedelta
from pathlib import Path

from stationmaster.postgres.queries import load
from stationmaster.reviews.access import secret, users
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Pool

PREFIX = "sms"
MAX_AGENT = 200

QUERIES = load(Path(__file__).parent / "sessions.sql")
START = QUERIES["start"]
USE = QUERIES["use"]
END = QUERIES["end"]
END_ALL = QUERIES["end_all"]
TIDY = QUERIES["tidy"]


async def start(
    pool: Pool, user: str, *, hours: float, address: str, agent: str, replaces: str | None = None,
    via: str | None = None,
) -> str:  # fmt: skip
    """A new session's secret, for the cookie.

    Always a new one: a cookie that somebody planted before the sign-in is worth nothing after it. The session
    that the browser had (`replaces`) ends. `via`: how the user came, which is then in the audit.
    """
    made = secret.new(PREFIX)
    async with pool.connection() as conn:
        if replaces:
            await conn.execute(END, {"digest": secret.digest(replaces)})
        await conn.execute(TIDY)
        parameters = {
            "digest": secret.digest(made), "user": user, "lifetime": timedelta(hours=hours),
            "address": address, "agent": agent[:MAX_AGENT].replace("\x00", ""),
        }  # fmt: skip
        await conn.execute(START, parameters)
        if via is not None:
            await users.note(conn, user, "signed_in", {"via": via, "address": address})
    return made


async def identify(pool: Pool, sent: str) -> Identity | None:
    """Whose session it is, with the groups and roles that the user has now; None if it is over."""
    async with pool.connection() as conn:
        row = await (await conn.execute(USE, {"digest": secret.digest(sent)})).fetchone()
    if row is None:
        return None
    return Identity(
        row["name"],
        frozenset(row["groups"]),
        frozenset(row["roles"]),
        credential=f"session:{row['session_id']}",
    )


async def end(pool: Pool, sent: str) -> None:
    """Sign out of this browser."""
    async with pool.connection() as conn:
        await conn.execute(END, {"digest": secret.digest(sent)})


async def end_all(pool: Pool, user: str) -> int:
    """Sign out everywhere; the number of sessions that ended."""
    async with pool.connection() as conn:
        return (await conn.execute(END_ALL, {"user": user})).rowcount

"""One-time sign-in links: they work once, for a short while, and only when a person presses the button."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

import psycopg

from stationmaster.postgres.queries import load
from stationmaster.reviews.access import secret, throttle, users
from stationmaster.reviews.access.errors import LinkRefused, NoSuchUser
from stationmaster.reviews.database import Pool

PREFIX = "sml"
PATH = "/sign-in/link"
MINUTES = 15
FIRST_USER = "admin"

QUERIES = load(Path(__file__).parent / "links.sql")
CREATE = QUERIES["create"]
LOOK = QUERIES["look"]
TAKE = QUERIES["take"]
TIDY = QUERIES["tidy"]
MAKE_FIRST = QUERIES["make_first"]
STILL_FIRST = QUERIES["still_first"]

GONE = (
    "this link was used already, has expired, or never was: ask for another "
    "(`stationmaster users link NAME` prints one)"
)


@dataclass(frozen=True)
class Link:
    """For whom a link is and until when it works."""

    user: str
    expires_at: datetime


async def create(pool: Pool, user: str, *, minutes: float = MINUTES) -> tuple[str, Link]:
    """The link's secret, shown once, and what it opens. NoSuchUser."""
    made = secret.new(PREFIX)
    parameters = {
        "digest": secret.digest(made), "user": user.casefold(), "lifetime": timedelta(minutes=minutes),
    }  # fmt: skip
    try:
        async with pool.connection() as conn:
            await conn.execute(TIDY)
            row = await (await conn.execute(CREATE, parameters)).fetchone()
    except psycopg.errors.ForeignKeyViolation:
        raise NoSuchUser(f"there is no user {user}: add one with `stationmaster users add`") from None
    if row is None:
        raise LinkRefused(GONE)
    return made, Link(row["user_name"], row["expires_at"])


async def first(pool: Pool, *, groups: Iterable[str] = ("*",)) -> str | None:
    """A link's secret for the first user, an admin, who is made with it; None once anybody could sign in.

    An `up` that was stopped before its link was used is followed by one that prints a new link.
    """
    parameters = {"name": FIRST_USER, "groups": users.checked_groups(groups)}
    async with pool.connection() as conn:
        await conn.execute(MAKE_FIRST, parameters)
        if await (await conn.execute(STILL_FIRST, {"name": FIRST_USER})).fetchone() is None:
            return None
    made, _ = await create(pool, FIRST_USER)
    return made


async def look(pool: Pool, sent: str, *, address: str) -> Link:
    """What a link would do, without using it: mail scanners and previews follow links. LinkRefused."""
    async with pool.connection() as conn:
        row = await (await conn.execute(LOOK, {"digest": secret.digest(sent)})).fetchone()
    if row is None:
        await throttle.count(pool, name=None, address=address)
        raise LinkRefused(GONE)
    return Link(row["user_name"], row["expires_at"])


async def take(pool: Pool, sent: str, *, address: str) -> str:
    """Use the link up; the name of the user whom it signs in. Of several at once, one gets it. LinkRefused."""
    async with pool.connection() as conn:
        row = await (await conn.execute(TAKE, {"digest": secret.digest(sent)})).fetchone()
    if row is None:
        await throttle.count(pool, name=None, address=address)
        raise LinkRefused(GONE)
    return row["user_name"]


def url(base: str, sent: str) -> str:
    """The address of a link in the console that is reached at `base`."""
    return f"{base.rstrip('/')}{PATH}/{sent}"

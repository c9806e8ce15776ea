"""Sign-in by name and password, and who a credential belongs to: counted, limited, told nothing more than needed."""

from pathlib import Path

from stationmaster.postgres.queries import load
from stationmaster.reviews.access import passwords, sessions, throttle, tokens
from stationmaster.reviews.access.errors import NotSignedIn, SignInFailed
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.database import Pool

QUERIES = load(Path(__file__).parent / "signing_in.sql")
PASSWORD, REHASH = QUERIES["password"], QUERIES["rehash"]


async def by_password(pool: Pool, name: str, password: str, *, address: str) -> str:
    """The user's name; SignInFailed, or TooManyFailures without looking at the password."""
    await throttle.count(pool, name=name, address=address)
    known = name.casefold().replace("\x00", "")
    async with pool.connection() as conn:
        row = await (await conn.execute(PASSWORD, {"name": known})).fetchone()
    stored = row["password_hash"] if row else None
    if not await passwords.matches(stored, password):
        raise SignInFailed("name and password don't go together: try again, or ask for a one-time link")
    await throttle.forgive(pool, name=name, address=address)
    if stored and passwords.outdated(stored):
        fresh = {"name": known, "old": stored, "new": await passwords.hashed(password)}
        async with pool.connection() as conn:
            await conn.execute(REHASH, fresh)
    return known


async def by_token(pool: Pool, sent: str, *, address: str) -> Identity:
    """Whose token it is. A right one always passes; only wrong ones are counted, per address."""
    found = await tokens.identify(pool, sent)
    if found is None:
        await throttle.count(pool, name=None, address=address)
        raise NotSignedIn(
            "the token is not valid (any more): make one with `stationmaster users token create`"
        )
    return found


async def by_session(pool: Pool, sent: str) -> Identity:
    """Who is signed in, or NotSignedIn."""
    found = await sessions.identify(pool, sent)
    if found is None:
        raise NotSignedIn("the session is over: sign in again")
    return found

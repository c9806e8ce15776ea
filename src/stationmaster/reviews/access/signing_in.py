"""Sign-in by name and password, and who a credential belongs to: counted, limited, told nothing more than needed."""

from pathlib import Path
from typing import Any

import psycopg

from stationmaster.postgres.queries import load
from stationmaster.reviews.access import passwords, sessions, throttle, tokens, users
from stationmaster.reviews.access.errors import BadUser, NotSignedIn, ProviderFailed, SignInFailed
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.access.oidc import Provider
from stationmaster.reviews.database import Pool

QUERIES = load(Path(__file__).parent / "signing_in.sql")
PASSWORD = QUERIES["password"]
REHASH = QUERIES["rehash"]
BY_PROVIDER = QUERIES["by_provider"]


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


async def by_provider(pool: Pool, provider: Provider, claims: dict[str, Any]) -> str:
    """The name of the user whom the provider vouches for; groups and roles become what the provider says now.

    The subject is who it is: a name or an address may be given to somebody else some day. ProviderFailed if
    somebody else here has the name already.
    """
    groups = _groups(claims.get(provider.groups_claim))
    parameters = {
        "name": _name(claims), "subject": f"{provider.issuer} {claims['sub']}",
        "groups": groups, "roles": provider.roles_of(groups),
    }  # fmt: skip
    try:
        async with pool.connection() as conn:
            row = await (await conn.execute(BY_PROVIDER, parameters)).fetchone()
    except psycopg.errors.UniqueViolation:
        raise ProviderFailed(
            f"another user here is called {parameters['name']}: an admin can remove that one "
            "(`stationmaster users remove`), or rename this one at the provider"
        ) from None
    return (row or parameters)["name"]


def _groups(claim: object) -> list[str]:
    """Group names as they are; what can't be one, and above all `*`, is left out."""
    listed = [claim] if isinstance(claim, str) else claim if isinstance(claim, list) else []
    return sorted({group for group in listed if isinstance(group, str) and users.GROUP.fullmatch(group)})


def _name(claims: dict[str, Any]) -> str:
    for claim in ("preferred_username", "email", "sub"):
        try:
            return users.checked_name(str(claims.get(claim, "")))
        except BadUser:
            continue
    raise ProviderFailed(
        "the provider gives no name that can be used here (preferred_username, email or sub): set one there"
    )

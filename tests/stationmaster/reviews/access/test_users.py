"""Users, their passwords and tokens: what is kept, what is refused, what ends when."""

import asyncio
import logging

import pytest
from psycopg.sql import SQL, Identifier

from stationmaster.reviews.access import secret, sessions, signing_in, tokens, users
from stationmaster.reviews.access.errors import (
    BadPassword,
    BadUser,
    NoSuchToken,
    NoSuchUser,
    NotSignedIn,
    SignInFailed,
    UserExists,
)
from stationmaster.reviews.database import Pool

PASSWORD = "correct horse battery"
HERE = "203.0.113.7"


async def dump(pool: Pool) -> str:
    """Everything that the access tables hold, as text."""
    tables = map(Identifier, ("users", "tokens", "sessions", "one_time_links"))
    statement = SQL("SELECT * FROM reviews.{}")
    async with pool.connection() as conn:
        rows = [await (await conn.execute(statement.format(name))).fetchall() for name in tables]
    return repr(rows)


async def test_a_name_is_one_whatever_its_case(pool: Pool) -> None:
    await users.add(pool, "Ann.Lee@shop.example", groups=["money"], password=PASSWORD)
    assert (await users.find(pool, "ann.lee@SHOP.example")).groups == ("money",)
    with pytest.raises(UserExists, match="choose another name"):
        await users.add(pool, "ANN.lee@shop.example")
    assert await signing_in.by_password(pool, "Ann.Lee@Shop.Example", PASSWORD, address=HERE)


@pytest.mark.parametrize(
    "name", ["", " ", "a b", "policy:expiry", "-x", "x-", "a/b", "a\nb", "ä", "a'--", "x" * 101, "a\x00"]
)
async def test_names_that_cannot_be(pool: Pool, name: str) -> None:
    with pytest.raises(BadUser, match="use letters"):
        await users.add(pool, name)
    assert await users.nobody_yet(pool)


async def test_roles_and_groups_are_checked(pool: Pool) -> None:
    with pytest.raises(BadUser, match="god is no role: give one of reader, reviewer, editor, lead, admin"):
        await users.add(pool, "ann", roles=["god"])
    with pytest.raises(BadUser, match="nothing is no role"):
        await users.add(pool, "ann", roles=[])
    with pytest.raises(BadUser, match="no group's name"):
        await users.add(pool, "ann", groups=["a,b"])
    await users.add(pool, "ann", groups=["*", "desk: returns"])
    assert (await users.find(pool, "ann")).groups == ("*", "desk: returns")


@pytest.mark.parametrize("password", ["", "short", "x" * 11, "x" * 1025])
async def test_passwords_that_cannot_be(pool: Pool, password: str) -> None:
    with pytest.raises(BadPassword, match="12 to 1024"):
        await users.add(pool, "ann", password=password)


async def test_nothing_that_opens_is_kept_as_it_is(pool: Pool) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    token, _ = await tokens.create(pool, "ann", "ci")
    cookie = await sessions.start(pool, "ann", hours=1, address=HERE, agent="x")
    kept = await dump(pool)
    assert "$argon2id$" in kept
    assert not [shown for shown in (PASSWORD, token, cookie) if shown in kept]


async def test_a_wrong_name_and_a_wrong_password_read_the_same(pool: Pool) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    await users.add(pool, "bot")
    said = set()
    for name, password in (
        ("ann", "not hers at all"),
        ("nobody", PASSWORD),
        ("bot", PASSWORD),
        ("a\x00b", "x"),
    ):
        with pytest.raises(SignInFailed) as refused:
            await signing_in.by_password(pool, name, password, address=HERE)
        said.add(str(refused.value))
    assert len(said) == 1


async def test_a_token_opens_until_it_ends(pool: Pool) -> None:
    await users.add(pool, "ann", roles=["reader"], groups=["money"])
    made, row = await tokens.create(pool, "ann", "ci", days=1)
    who = await signing_in.by_token(pool, made, address=HERE)
    assert (who.name, who.groups, who.roles) == ("ann", {"money"}, {"reader"})
    assert who.credential == f"token:{row.id}"
    assert (await tokens.of(pool, "ann"))[0].last_used_at is not None
    async with pool.connection() as conn:
        await conn.execute("UPDATE reviews.tokens SET expires_at = now() - interval '1 second'")
    with pytest.raises(NotSignedIn):
        await signing_in.by_token(pool, made, address=HERE)


async def test_a_revoked_token_opens_nothing_and_its_label_is_free_again(pool: Pool) -> None:
    await users.add(pool, "ann")
    made, _ = await tokens.create(pool, "ann", "ci", days=None)
    with pytest.raises(UserExists, match="revoke it"):
        await tokens.create(pool, "ann", "ci")
    await tokens.revoke(pool, "ann", "ci")
    with pytest.raises(NotSignedIn):
        await signing_in.by_token(pool, made, address=HERE)
    with pytest.raises(NoSuchToken):
        await tokens.revoke(pool, "ann", "ci")
    await tokens.create(pool, "ann", "ci")
    assert [token.revoked_at is None for token in await tokens.of(pool)] == [True, False]


async def test_a_token_needs_a_user_a_label_and_a_time_to_live(pool: Pool) -> None:
    with pytest.raises(NoSuchUser):
        await tokens.create(pool, "ann", "ci")
    await users.add(pool, "ann")
    for label, days in (("", 1), (" ", 1), ("x" * 101, 1), ("a\nb", 1), ("ci", 0), ("ci", -1)):
        with pytest.raises(BadUser):
            await tokens.create(pool, "ann", label, days=days)


async def test_changed_groups_count_in_sessions_under_way_and_removal_ends_them(pool: Pool) -> None:
    await users.add(pool, "ann", groups=["money"])
    cookie = await sessions.start(pool, "ann", hours=1, address=HERE, agent="x")
    token, _ = await tokens.create(pool, "ann", "ci")
    await users.set_groups(pool, "ann", ["desk"])
    await users.set_roles(pool, "ann", ["lead"])
    for who in (
        await signing_in.by_session(pool, cookie),
        await signing_in.by_token(pool, token, address=HERE),
    ):
        assert (who.groups, who.roles) == ({"desk"}, {"lead"})
    await users.remove(pool, "ann")
    with pytest.raises(NotSignedIn):
        await signing_in.by_session(pool, cookie)
    with pytest.raises(NotSignedIn):
        await signing_in.by_token(pool, token, address=HERE)
    with pytest.raises(NoSuchUser):
        await users.remove(pool, "ann")


async def test_a_new_password_ends_every_session(pool: Pool) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    cookie = await sessions.start(pool, "ann", hours=1, address=HERE, agent="x")
    await users.set_password(pool, "ann", "another good password")
    with pytest.raises(NotSignedIn):
        await signing_in.by_session(pool, cookie)
    with pytest.raises(SignInFailed):
        await signing_in.by_password(pool, "ann", PASSWORD, address=HERE)
    assert await signing_in.by_password(pool, "ann", "another good password", address=HERE) == "ann"


async def test_a_session_is_new_at_each_sign_in_and_ends_alone_in_time_or_with_all(pool: Pool) -> None:
    await users.add(pool, "ann")
    first = await sessions.start(pool, "ann", hours=1, address=HERE, agent="a\x00b")
    second = await sessions.start(pool, "ann", hours=1, address=HERE, agent="x" * 999, replaces=first)
    third = await sessions.start(pool, "ann", hours=1, address=HERE, agent="")
    assert len({first, second, third}) == 3
    assert await sessions.identify(pool, first) is None
    assert await sessions.end_all(pool, "ann") == 2
    fourth = await sessions.start(pool, "ann", hours=1, address=HERE, agent="")
    async with pool.connection() as conn:
        await conn.execute("UPDATE reviews.sessions SET expires_at = now()")
    assert await sessions.identify(pool, fourth) is None


async def test_an_old_hash_is_made_anew_at_the_next_sign_in(pool: Pool) -> None:
    from argon2 import PasswordHasher

    weak = PasswordHasher(time_cost=1, memory_cost=16, parallelism=1).hash(PASSWORD)
    await users.add(pool, "ann")
    async with pool.connection() as conn:
        await conn.execute("UPDATE reviews.users SET password_hash = %s", (weak,))
    await signing_in.by_password(pool, "ann", PASSWORD, address=HERE)
    assert weak not in await dump(pool)
    assert await signing_in.by_password(pool, "ann", PASSWORD, address=HERE) == "ann"


async def test_no_credential_is_logged(pool: Pool, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    await users.add(pool, "ann", password=PASSWORD)
    token, _ = await tokens.create(pool, "ann", "ci")
    await signing_in.by_token(pool, token, address=HERE)
    with pytest.raises(SignInFailed):
        await signing_in.by_password(pool, "ann", "wrong but long enough", address=HERE)
    wrong = secret.new("smt")
    with pytest.raises(NotSignedIn) as refused:
        await signing_in.by_token(pool, wrong, address=HERE)
    assert not [text for text in (token, PASSWORD, wrong) if text in caplog.text + str(refused.value)]


async def test_twenty_users_of_one_name_at_once(pool: Pool) -> None:
    made = await asyncio.gather(*(users.add(pool, "ann") for _ in range(20)), return_exceptions=True)
    assert sum(isinstance(one, users.User) for one in made) == 1
    assert sum(isinstance(one, UserExists) for one in made) == 19

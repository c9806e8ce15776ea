"""Failed sign-ins are counted and told honestly; one-time links work once."""

import asyncio

import pytest

from stationmaster.reviews.access import links, sessions, signing_in, throttle, users
from stationmaster.reviews.access.errors import (
    LinkRefused,
    NoSuchUser,
    NotSignedIn,
    SignInFailed,
    TooManyFailures,
)
from stationmaster.reviews.database import Pool

PASSWORD = "correct horse battery"
HERE = "203.0.113.7"


async def guess(pool: Pool, name: str, password: str = "not the password", address: str = HERE) -> str:
    """How the attempt ends: a name, or the refusal's."""
    try:
        return await signing_in.by_password(pool, name, password, address=address)
    except (SignInFailed, TooManyFailures) as refused:
        return type(refused).__name__


async def move_clock(pool: Pool, seconds: float) -> None:
    async with pool.connection() as conn:
        await conn.execute(
            "UPDATE reviews.login_failures SET since = since - make_interval(secs => %s)", (seconds,)
        )


async def test_guesses_at_one_name_from_many_addresses_are_stopped(pool: Pool) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    limit = throttle.LIMIT["name"]
    for n in range(limit - 1):
        await throttle.count(pool, name="Ann", address=f"198.51.100.{n}")
    outcomes = [await guess(pool, "Ann", address=f"203.0.113.{n}") for n in range(3)]
    assert outcomes == ["SignInFailed", "TooManyFailures", "TooManyFailures"]
    assert await guess(pool, "ann", PASSWORD, "203.0.113.99") == "TooManyFailures"


@pytest.mark.parametrize("typed", ["ann", "ann 198.51.100.1"])
async def test_whoever_guesses_at_a_name_locks_out_themselves_and_not_its_owner(
    pool: Pool, typed: str
) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    for _ in range(throttle.LIMIT["name"] + 20):
        await guess(pool, typed)
    assert await guess(pool, typed, PASSWORD) == "TooManyFailures"
    assert await guess(pool, "ann", PASSWORD, "198.51.100.1") == "ann"


async def test_the_waiting_time_told_is_the_waiting_time(pool: Pool) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    for _ in range(throttle.LIMIT["here"]):
        await guess(pool, "ann")
    with pytest.raises(TooManyFailures) as refused:
        await signing_in.by_password(pool, "ann", PASSWORD, address=HERE)
    told = refused.value.retry_after_s
    assert throttle.WINDOW_S - 60 < told <= throttle.WINDOW_S
    # Asking again meanwhile makes nobody wait longer.
    await move_clock(pool, told - 10)
    assert await guess(pool, "ann", PASSWORD) == "TooManyFailures"
    await move_clock(pool, 11)
    assert await guess(pool, "ann", PASSWORD) == "ann"


async def test_guesses_sent_at_once_are_not_all_judged(pool: Pool) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    outcomes = await asyncio.gather(*(guess(pool, "ann") for _ in range(25)))
    assert outcomes.count("SignInFailed") == throttle.LIMIT["here"]


async def test_many_names_from_one_address_are_stopped_and_others_are_not(pool: Pool) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    for n in range(throttle.LIMIT["address"]):
        await throttle.count(pool, name=f"user{n}", address=HERE)
    assert await guess(pool, "ann", PASSWORD) == "TooManyFailures"
    assert await guess(pool, "ann", PASSWORD, "198.51.100.1") == "ann"


async def test_the_addresses_of_one_ipv6_network_are_one_caller(pool: Pool) -> None:
    for n in range(throttle.LIMIT["address"]):
        await throttle.count(pool, name=None, address=f"2001:db8:1:2::{n:x}")
    with pytest.raises(TooManyFailures):
        await throttle.count(pool, name=None, address="2001:db8:1:2:ffff::1")
    await throttle.count(pool, name=None, address="2001:db8:1:3::1")


async def test_one_good_account_buys_no_guesses_at_others(pool: Pool) -> None:
    await users.add(pool, "eve", password=PASSWORD)
    await users.add(pool, "ann", password="another good password")
    outcomes: list[str] = []
    for n in range(throttle.LIMIT["address"] + 1):
        assert await guess(pool, "eve", PASSWORD) in {"eve", "TooManyFailures"}
        outcomes.append(await guess(pool, f"victim{n}"))
    assert outcomes[-1] == "TooManyFailures"


async def test_a_right_sign_in_forgives_the_name(pool: Pool) -> None:
    await users.add(pool, "ann", password=PASSWORD)
    for _ in range(3):
        for _ in range(throttle.LIMIT["here"] - 1):
            assert await guess(pool, "ann") == "SignInFailed"
        assert await guess(pool, "ann", PASSWORD) == "ann"


async def test_a_right_token_passes_where_wrong_ones_are_refused(pool: Pool) -> None:
    from stationmaster.reviews.access import tokens

    await users.add(pool, "ann")
    good, _ = await tokens.create(pool, "ann", "ci")
    for _ in range(throttle.LIMIT["address"]):
        with pytest.raises(NotSignedIn):
            await signing_in.by_token(pool, "smt_wrong", address=HERE)
    with pytest.raises(TooManyFailures):
        await signing_in.by_token(pool, "smt_wrong", address=HERE)
    assert (await signing_in.by_token(pool, good, address=HERE)).name == "ann"


async def test_a_link_works_once_of_twenty_at_once(pool: Pool) -> None:
    await users.add(pool, "ann")
    made, link = await links.create(pool, "Ann")
    assert link.user == "ann"
    assert (await links.look(pool, made, address=HERE)).user == "ann"
    assert (await links.look(pool, made, address=HERE)).user == "ann"
    taken = await asyncio.gather(
        *(links.take(pool, made, address=HERE) for _ in range(20)), return_exceptions=True
    )
    assert taken.count("ann") == 1
    assert sum(isinstance(one, LinkRefused) for one in taken) == 19
    with pytest.raises(LinkRefused):
        await links.look(pool, made, address=HERE)


async def test_a_link_ends(pool: Pool) -> None:
    await users.add(pool, "ann")
    made, _ = await links.create(pool, "ann", minutes=5)
    async with pool.connection() as conn:
        await conn.execute("UPDATE reviews.one_time_links SET expires_at = now()")
    for use in (links.look, links.take):
        with pytest.raises(LinkRefused, match="stationmaster users link"):
            await use(pool, made, address=HERE)
    with pytest.raises(NoSuchUser):
        await links.create(pool, "nobody")


async def test_the_first_link_is_made_while_nobody_could_sign_in(pool: Pool) -> None:
    both = await asyncio.gather(links.first(pool), links.first(pool))
    again = await links.first(pool)
    assert all(both) and again
    assert [user.name for user in await users.everybody(pool)] == ["admin"]
    who = await links.take(pool, again, address=HERE)
    await sessions.start(pool, who, hours=1, address=HERE, agent="")
    assert await links.first(pool) is None


async def test_no_first_link_where_there_are_users(pool: Pool) -> None:
    await users.add(pool, "ann", roles=["reader"])
    assert await links.first(pool) is None
    assert [user.name for user in await users.everybody(pool)] == ["ann"]

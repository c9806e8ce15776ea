"""Reminder, escalation, default at expiry; and a person racing with the expiry, a thousand times."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg.types.json import Jsonb

from stationmaster.reviews import store, timers
from stationmaster.reviews.database import Connection, Pool, open_pool
from stationmaster.reviews.decide import decide
from stationmaster.reviews.errors import AlreadyDecided
from stationmaster.reviews.model import Review
from tests.stationmaster.reviews.engine import ANN, EVERYBODY, GROUP, answer, person
from tests.stationmaster.reviews.rows import insert

PAST = datetime.now(UTC) - timedelta(hours=1)
DEFAULT = {"decision": "answer", "raw": "by default", "has_raw": True}


async def opened(conn: Connection, default: Any = DEFAULT, **columns: Any) -> Review:
    times = {"due_at": PAST, "remind_at": PAST, "expires_at": PAST}
    policy = Jsonb({"default_on_expiry": default})
    return await insert(conn, **{"groups": [GROUP], "shape": "plain", "policy": policy, **times, **columns})


async def now(pool: Pool, review: Review) -> Review:
    async with pool.connection() as conn:
        return await store.get(conn, review.id, EVERYBODY)


async def test_reminded_and_escalated_once(pool: Pool) -> None:
    async with pool.connection() as conn:
        review = await opened(conn, escalate_to="leads")
        later = await opened(conn, due_at=None, remind_at=datetime.now(UTC) + timedelta(hours=1))
    assert await timers.remind(pool) == [review.id] and await timers.remind(pool) == []
    assert await timers.escalate(pool) == [review.id] and await timers.escalate(pool) == []
    wider = await now(pool, review)
    assert wider.groups == (GROUP, "leads") and wider.reminded_at and wider.escalated_at
    assert (await decide(pool, review.id, person("lea", groups=("leads",)), answer(1))).decided_by == "lea"
    assert (await now(pool, later)).reminded_at is None


async def test_default_at_expiry_is_the_policys(pool: Pool) -> None:
    async with pool.connection() as conn:
        review = await opened(conn, two_person=True)
    assert await timers.expire(pool) == [review.id]
    decided = await now(pool, review)
    assert (decided.state, decided.decided_by, decided.answer) == ("decided", "policy:expiry", "by default")
    with pytest.raises(AlreadyDecided):
        await decide(pool, review.id, ANN, answer(1))


async def test_close_at_expiry(pool: Pool) -> None:
    async with pool.connection() as conn:
        review = await opened(conn, default={"decision": "close"})
    await timers.expire(pool)
    assert (await now(pool, review)).state == "expired"


async def test_a_default_that_does_not_fit_waits_for_a_person(pool: Pool) -> None:
    async with pool.connection() as conn:
        review = await opened(conn, shape="typed", response_schema={"type": "integer"}, payload=1)
    await timers.expire(pool)
    held = await now(pool, review)
    assert (held.state, held.needs_person, held.expires_at) == ("open", True, None)
    assert (await decide(pool, review.id, ANN, answer(3))).answer == 3


@pytest.mark.parametrize(
    "default", [{"decision": "answer", "raw": 1, "has_raw": True, "zzz": 1}, ["answer"], {"decision": 7, "fields": 1}]
)  # fmt: skip
async def test_a_default_that_can_not_be_read_keeps_no_later_one_waiting(pool: Pool, default: Any) -> None:
    async with pool.connection() as conn:
        bad = await opened(conn, default=default, expires_at=PAST - timedelta(hours=1))
        good = await opened(conn, default={"decision": "close"})
    await timers.expire(pool)
    held = await now(pool, bad)
    assert (held.state, held.needs_person, held.expires_at) == ("open", True, None)
    assert (await now(pool, good)).state == "expired"
    assert await timers.expire(pool) == []


@pytest.fixture
def racers(database: str) -> Any:
    """One loop and one pool for all examples of a test that is not async itself."""
    loop = asyncio.new_event_loop()
    yield loop, database
    loop.close()


TURNS = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=100, max_size=100)
"""How often each of the two lets the loop turn before it acts, of a hundred reviews."""


@given(turns=TURNS)
@settings(max_examples=1, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_person_against_expiry(racers: Any, turns: list[tuple[int, int]]) -> None:
    """One of the two wins, whoever is first."""
    loop, database = racers
    loop.run_until_complete(_race(database, turns))


@pytest.mark.slow
@given(turns=TURNS)
@settings(max_examples=10, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
def test_person_against_expiry_a_thousand_times(racers: Any, turns: list[tuple[int, int]]) -> None:
    loop, database = racers
    loop.run_until_complete(_race(database, turns))


async def _race(database: str, turns: list[tuple[int, int]]) -> None:
    async with open_pool(database) as pool:
        for person_turns, expiry_turns in turns:
            async with pool.connection() as conn:
                review = await opened(conn)
            won = await asyncio.gather(
                _after(person_turns, _person(pool, review)),
                _after(expiry_turns, timers.expire_one(pool, review.id)),
            )
            assert sorted(won) == [False, True], won
            decided = await now(pool, review)
            assert decided.answer == ("by a person" if won[0] else "by default")


async def _person(pool: Pool, review: Review) -> bool:
    try:
        await decide(pool, review.id, ANN, answer("by a person"))
    except AlreadyDecided:
        return False
    return True


async def _after(turns: int, act: Any) -> bool:
    for _ in range(turns):
        await asyncio.sleep(0)
    return await act

"""Entries are there with what they record, or not at all; the chain has one end, whoever adds to it and however."""

import asyncio
import contextlib
import random
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from uuid import uuid4

import psycopg
import pytest

from stationmaster.reviews import audit
from stationmaster.reviews.audit import trail
from stationmaster.reviews.database import Connection, Pool, in_time, open_pool
from stationmaster.reviews.errors import TooSlow
from tests.stationmaster.reviews.rows import insert

DECIDERS = 50
ROUNDS = 6


@pytest.fixture
async def pool(database: str) -> AsyncIterator[Pool]:
    async with open_pool(database, max_size=DECIDERS) as pool:
        yield pool


async def lines(pool: Pool, key: str | None = None) -> list[str]:
    async with contextlib.aclosing(audit.export(pool, key=key)) as exported:
        return [line async for line in exported]


async def count(conn: Connection, table: str) -> int:
    row = await (await conn.execute(f"SELECT count(*) AS n FROM reviews.{table}".encode())).fetchone()
    assert row is not None
    return row["n"]


async def test_what_is_recorded_is_read_back_exported_and_verified(pool: Pool) -> None:
    async with pool.connection() as conn:
        review = await insert(conn)
        detail = {
            "amount": 1,
            "float": 1.0,
            "exponent": 1e22,
            "text": 'Zoë "\\\n\x00\ud800',
            "nested": [None, True, {}],
        }
        await audit.record(
            conn, review_id=review.id, actor="zoë", action="opened", detail=audit.shown(review)
        )
        await audit.record(conn, review_id=review.id, actor="user:ann", action="decided", detail=detail)
        await audit.record(conn, review_id=None, actor="admin", action="exported")
    async with pool.connection() as conn:
        opened, decided = await audit.history(conn, review.id)
    assert opened.detail == {"digest": review.digest, "payload": f"reviews/{review.id}"}
    assert (opened.actor, opened.seq, opened.previous) == ("zoë", 1, "0" * 64)
    assert (
        decided.detail == detail
        and type(decided.detail["float"]) is float
        and decided.previous == opened.hash
    )
    verified = audit.verify(await lines(pool))
    assert isinstance(verified, audit.Verified) and verified.entries == 3


async def test_an_entry_goes_with_its_transaction(pool: Pool) -> None:
    async def fail() -> None:
        async with pool.connection() as conn:
            await insert(conn)
            await audit.record(conn, review_id=str(uuid4()), actor="ann", action="decided")
            raise ValueError("after the entry")

    with pytest.raises(ValueError, match="after the entry"):
        await fail()
    async with pool.connection() as conn, conn.transaction():
        with contextlib.suppress(psycopg.errors.DivisionByZero):
            async with conn.transaction():
                await audit.record(conn, review_id=None, actor="ann", action="refused")
                await conn.execute("SELECT 1 / 0")
        await audit.record(conn, review_id=None, actor="ben", action="decided")
    async with pool.connection() as conn:
        assert await count(conn, "reviews") == 0 and await count(conn, "audit_pending") == 0
    verified = audit.verify(await lines(pool))
    assert isinstance(verified, audit.Verified) and verified.entries == 1


@pytest.mark.parametrize(
    "statement",
    [
        b"UPDATE reviews.audit SET actor = 'eve'", b"DELETE FROM reviews.audit", b"TRUNCATE reviews.audit",
        b"DELETE FROM reviews.audit_head", b"TRUNCATE reviews.audit_head",
    ],
)  # fmt: skip
async def test_entries_are_only_ever_added(pool: Pool, statement: bytes) -> None:
    async with pool.connection() as conn:
        await audit.record(conn, review_id=None, actor="ann", action="opened")
    with pytest.raises(psycopg.errors.IntegrityError):
        async with pool.connection() as conn:
            await conn.execute(statement)
    assert isinstance(audit.verify(await lines(pool)), audit.Verified)


async def test_50_deciders_at_once_in_any_order_neither_deadlock_nor_fork_the_chain(pool: Pool) -> None:
    """Each transaction locks several reviews in the order that everybody keeps, and records before, between, after."""
    async with pool.connection() as conn:
        reviews = sorted([(await insert(conn)).id for _ in range(8)])
    recorded = 0

    async def decide(number: int) -> None:
        nonlocal recorded
        dice = random.Random(number)
        for _ in range(ROUNDS):
            chosen = sorted(dice.sample(reviews, 3))
            async with pool.connection() as conn:
                for review_id in chosen:
                    entry = audit.record(conn, review_id=review_id, actor=f"user{number}", action="decided")
                    update = conn.execute(
                        "UPDATE reviews.reviews SET note = %(note)s WHERE id = %(id)s",
                        {"note": str(number), "id": review_id},
                    )
                    for step in (entry, update) if dice.random() < 0.5 else (update, entry):
                        await step
                recorded += len(chosen)

    async with asyncio.timeout(120):
        await asyncio.gather(*map(decide, range(DECIDERS)))
    verified = audit.verify(await lines(pool))
    assert isinstance(verified, audit.Verified)
    assert verified.entries == recorded == DECIDERS * ROUNDS * 3


KILLED = """
import asyncio, sys
from stationmaster.reviews import audit
from stationmaster.reviews.audit import trail
from stationmaster.reviews.database import open_pool

async def main(uri):
    async with open_pool(uri, max_size=4) as pool:
        async def forever(number):
            while True:
                async with pool.connection() as conn:
                    await audit.record(conn, review_id=None, actor=f"p{number}", action="decided")
                    await conn.execute("INSERT INTO reviews.effects VALUES (1)")
                print("committed", flush=True)
        await asyncio.gather(*(forever(number) for number in range(4)))

asyncio.run(main(sys.argv[1]))
"""


async def test_a_process_killed_in_the_middle_leaves_a_whole_chain_and_an_entry_for_each_effect(
    database: str, pool: Pool
) -> None:
    async with pool.connection() as conn:
        await conn.execute("CREATE TABLE reviews.effects (n integer)")
    for round_ in range(3):
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-c", KILLED, database, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdout is not None
        for _ in range(20 + 7 * round_):
            assert await process.stdout.readline() == b"committed\n"
        process.send_signal(signal.SIGKILL)
        await process.wait()
    async with pool.connection() as conn:
        # Its backends may still be finishing a commit that they had begun.
        await conn.execute("LOCK TABLE reviews.effects IN EXCLUSIVE MODE")
        effects, entries = await count(conn, "effects"), await count(conn, "audit")
        assert await count(conn, "audit_pending") == 0
    assert effects == entries >= 60
    assert isinstance(audit.verify(await lines(pool)), audit.Verified)


async def test_who_saw_a_review_is_recorded_once_for_each_way(pool: Pool) -> None:
    async with pool.connection() as conn:
        review = await insert(conn)
    for actor, via in [("ann", "page"), ("ann", "page"), ("ann", "api"), ("ben", "page")]:
        async with pool.connection() as conn:
            await audit.seen(conn, review, actor, via)
    async with pool.connection() as conn:
        history = await audit.history(conn, review.id)
    assert [(entry.actor, entry.detail["via"]) for entry in history] == [
        ("ann", "page"), ("ann", "api"), ("ben", "page"),
    ]  # fmt: skip
    assert history[0].detail["digest"] == review.digest


async def test_a_page_of_entries_shows_what_its_reader_may_see(pool: Pool) -> None:
    async with pool.connection() as conn:
        mine, theirs = await insert(conn, groups=["a"]), await insert(conn, groups=["b"])
        for number, review in enumerate((mine, theirs, mine), 1):
            await audit.record(
                conn, review_id=review.id, actor="ann", action="commented", detail={"n": f"Remark {number}"}
            )
        await audit.record(conn, review_id=None, actor="admin", action="exported")
    everything: dict[str, object] = {"every_group": True, "own_groups": []}
    group_a: dict[str, object] = {"every_group": False, "own_groups": ["a"]}
    async with pool.connection() as conn:
        assert [entry.seq for entry in await audit.search(conn, everything)] == [4, 3, 2, 1]
        assert [entry.seq for entry in await audit.search(conn, everything, before=4, limit=2)] == [3, 2]
        assert [entry.seq for entry in await audit.search(conn, group_a)] == [3, 1]
        assert await audit.search(conn, group_a, review_id=theirs.id) == []
        assert [entry.seq for entry in await audit.search(conn, everything, words="remark 2")] == [2]
        assert [entry.seq for entry in await audit.search(conn, everything, actor="admin")] == [4]
        assert [entry.seq for entry in await audit.search(conn, everything, action="commented", limit=1)] == [
            3
        ]


async def test_words_are_found_from_their_beginning_whatever_stands_around_them(pool: Pool) -> None:
    everything: dict[str, object] = {"every_group": True, "own_groups": []}
    details = [
        {"why": "first line\nsecond line"}, {"answer": {"amount_usd": 640.5}}, {"note": "Zoë \x00 said"},
        {"payload": "reviews/0c5bd9d6"}, {"text": "x" * 300_000},
    ]  # fmt: skip
    async with pool.connection() as conn:
        for detail in details:
            await audit.record(conn, review_id=None, actor="ann", action="commented", detail=detail)

    async def found(words: str) -> list[int]:
        async with pool.connection() as conn:
            return [entry.seq for entry in await audit.search(conn, everything, words=words)]

    assert (
        await found("second") == [1] and await found("SECOND first") == [1] and await found("nsecond") == []
    )
    assert await found("640") == [2] and await found("amount_usd") == [2]
    assert await found("zoë said") == [3] and await found("0c5bd9d6") == [4]
    assert await found("nowhere") == [] and await found("!?") == [] and await found("' & |") == []


async def test_rare_and_frequent_words_find_the_same(pool: Pool, monkeypatch: pytest.MonkeyPatch) -> None:
    async with pool.connection() as conn:
        mine, theirs = await insert(conn, groups=["a"]), await insert(conn, groups=["b"])
        for review in (mine, *[theirs] * 5):
            await audit.record(
                conn, review_id=review.id, actor="ann", action="commented", detail={"n": "word"}
            )
    scope: dict[str, object] = {"every_group": False, "own_groups": ["a"]}
    for few in (100, 3):
        monkeypatch.setattr(trail, "FEW", few)
        async with pool.connection() as conn:
            assert [entry.seq for entry in await audit.search(conn, scope, words="word")] == [1]


async def test_a_search_that_takes_too_long_says_so(pool: Pool) -> None:
    with pytest.raises(TooSlow, match="narrow it"):
        async with pool.connection() as conn, in_time(conn, 0.05):
            await conn.execute("SELECT pg_sleep(30)")
    async with pool.connection() as conn:
        assert await (await conn.execute("SHOW statement_timeout")).fetchone() == {"statement_timeout": "0"}

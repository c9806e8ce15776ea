"""Many answers at once that promise all or nothing: one transaction, whoever answers one of them meanwhile."""

import asyncio
import hashlib
from pathlib import Path

import httpx
import psycopg

from stationmaster.reviews.database import Pool
from tests.stationmaster.console.api.test_deciding import LOW, decide_many, post
from tests.stationmaster.console.serving import open_review, served, settings_for, somebody


async def states(http: httpx.AsyncClient, ids: list[str]) -> list[str]:
    return [(await http.get(f"/api/v1/reviews/{review}")).json()["state"] for review in ids]


async def test_all_of_them_are_answered_or_none(pool: Pool, console: str) -> None:
    ids = [await open_review(pool, **LOW) for _ in range(4)]
    async with await somebody(pool, console, "ann") as ann, await somebody(pool, console, "zoe") as zoe:
        await post(zoe, ids[2], "claim")
        told = await decide_many(ann, ids, all_or_nothing=True)
        assert (told.status_code, told.json()["code"]) == (409, "claimed")
        assert told.json()["review_id"] == ids[2]
        assert told.headers["content-type"] == "application/problem+json"
        assert await states(ann, ids) == ["open"] * 4
        await post(zoe, ids[2], "release")
        done = await decide_many(ann, ids, all_or_nothing=True)
        assert [result["state"] for result in done.json()["results"]] == ["decided"] * 4


async def test_a_key_may_be_as_long_as_for_one_answer(pool: Pool, console: str) -> None:
    ids = [await open_review(pool, **LOW) for _ in range(2)]
    async with await somebody(pool, console, "ann") as ann:
        for _ in range(2):
            body = {"ids": ids, "decision": "answer", "fields": {"answer": "yes"}}
            headers = {"Idempotency-Key": "k" * 255}
            told = await ann.post("/api/v1/reviews/decide", json=body, headers=headers)
            assert told.status_code == 200, told.text
            assert [result.get("state") for result in told.json()["results"]] == ["decided"] * 2


async def test_an_answer_that_comes_between_takes_all_back(pool: Pool, console: str, database: str) -> None:
    """Somebody's answer to the last one is under way, uncommitted, when all are to be answered."""
    ids = sorted([await open_review(pool, **LOW) for _ in range(5)])
    async with await somebody(pool, console, "ann") as ann:
        async with await psycopg.AsyncConnection.connect(database) as other:
            await other.execute(
                "UPDATE reviews.reviews SET state = 'superseded', closed_at = now() WHERE id = %s", (ids[-1],)
            )
            asking = asyncio.create_task(decide_many(ann, ids, all_or_nothing=True))
            async with asyncio.timeout(20):
                await until_it_waits(pool)
            await other.commit()
        told = await asking
        assert (told.status_code, told.json()["code"]) == (409, "stale")
        assert await states(ann, ids) == ["open"] * 4 + ["superseded"]
        history = [(await ann.get(f"/api/v1/reviews/{review}/history")).json() for review in ids]
    assert {entry["action"] for entries in history for entry in entries} == {"seen"}


async def until_it_waits(pool: Pool) -> None:
    """The request stands at a row that another transaction has changed."""
    blocked = (
        "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    )
    while True:
        async with pool.connection() as conn:
            if await (await conn.execute(blocked)).fetchone():
                return
        await asyncio.sleep(0.01)  # between two looks at the state that is waited for


async def test_of_two_people_with_the_same_ones_in_another_order_one_gets_all(
    pool: Pool, two_consoles: tuple[str, str]
) -> None:
    ids = [await open_review(pool, **LOW) for _ in range(20)]
    async with (
        await somebody(pool, two_consoles[0], "ann") as ann,
        await somebody(pool, two_consoles[1], "zoe") as zoe,
    ):
        both = await asyncio.gather(
            decide_many(ann, ids, all_or_nothing=True),
            decide_many(zoe, ids[::-1], all_or_nothing=True),
        )
        assert sorted(response.status_code for response in both) == [200, 409]
        found = [(await ann.get(f"/api/v1/reviews/{review}")).json()["decided_by"] for review in ids]
    assert len(set(found)) == 1


async def test_the_same_request_again_is_the_same_answer(pool: Pool, console: str) -> None:
    ids = [await open_review(pool, **LOW) for _ in range(3)]
    key = hashlib.sha256(b"many").hexdigest()
    async with await somebody(pool, console, "ann") as ann:
        body = {"ids": ids, "decision": "answer", "fields": {"answer": "yes"}, "all_or_nothing": True}
        both = [
            await ann.post("/api/v1/reviews/decide", json=body, headers={"Idempotency-Key": key})
            for _ in range(2)
        ]
        history = (await ann.get(f"/api/v1/reviews/{ids[0]}/history")).json()
    assert both[0].json() == both[1].json() and both[0].status_code == 200
    assert [entry["action"] for entry in history] == ["decided"]


async def test_the_window_in_which_an_answer_can_be_undone_is_one_setting(
    pool: Pool, database: str, tmp_path: Path
) -> None:
    """In the API and for many at once."""
    async with served(settings_for(database, tmp_path, undo_s=33.0)) as url:
        ids = [await open_review(pool, **LOW) for _ in range(3)]
        async with await somebody(pool, url, "ann") as ann:
            await post(ann, ids[0], "decide", {"decision": "answer", "answer": "yes"})
            await decide_many(ann, ids[1:2], all_or_nothing=True)
            await decide_many(ann, ids[2:])
    async with pool.connection() as conn:
        rows = await (
            await conn.execute(
                "SELECT extract(epoch FROM send_after - decided_at)::int AS s FROM reviews.reviews"
            )
        ).fetchall()
    assert [row["s"] for row in rows] == [33] * 3

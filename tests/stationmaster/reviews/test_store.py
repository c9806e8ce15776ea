"""Reading: scope, tabs and counts that agree, pages by keyset while rows come and go, search."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, get_args

import pytest

from stationmaster.reviews import store
from stationmaster.reviews.database import Pool
from stationmaster.reviews.decide import claim, decide
from stationmaster.reviews.model import Review
from stationmaster.reviews.store import BadCursor, ListQuery, Order, Tab
from tests.stationmaster.reviews.engine import ANN, BEN, EVERYBODY, GROUP, answer, person
from tests.stationmaster.reviews.rows import insert

START = datetime(2026, 1, 1, tzinfo=UTC)


async def add(pool: Pool, **columns: Any) -> Review:
    async with pool.connection() as conn:
        return await insert(conn, **{"groups": [GROUP], "shape": "plain", **columns})


async def page(pool: Pool, who: Any = ANN, **query: Any) -> store.Page:
    async with pool.connection() as conn:
        return await store.page(conn, ListQuery(**query), who)


async def close(pool: Pool, reviews: Sequence[Review]) -> None:
    async with pool.connection() as conn:
        for number, review in enumerate(reviews):
            at = START + timedelta(minutes=number // 2)
            await conn.execute(
                "update reviews.reviews set state = 'withdrawn', closed_at = %s where id = %s",
                (at, review.id),
            )


async def test_each_tab_holds_what_its_count_says(pool: Pool) -> None:
    """For two people who look at the same ten reviews."""
    made = [await add(pool, two_person=number == 5, debug=number == 9) for number in range(10)]
    await claim(pool, made[0].id, ANN)
    await claim(pool, made[1].id, BEN)
    await decide(pool, made[2].id, BEN, answer(1))
    await close(pool, [made[3]])
    await decide(pool, made[5].id, ANN, answer(1))
    await add(pool, groups=["other"])
    for who, expected in (
        (ANN, {"needs_you": 4, "claimed": 1, "waiting": 2, "decided": 1, "closed": 1, "debug": 1}),
        (BEN, {"needs_you": 5, "claimed": 1, "waiting": 1, "decided": 1, "closed": 1, "debug": 1}),
        (person("eve", groups=("none",)), dict.fromkeys(get_args(Tab), 0)),
        (EVERYBODY, {"needs_you": 6, "claimed": 0, "waiting": 2, "decided": 1, "closed": 1, "debug": 1}),
    ):
        async with pool.connection() as conn:
            assert await store.counts(conn, who) == expected
        for tab in get_args(Tab):
            for order in get_args(Order):
                found = (await page(pool, who, tab=tab, order=order)).reviews
                assert len(found) == expected[tab], (who.name, tab, order)


@pytest.mark.parametrize(("tab", "order"), [("needs_you", "due"), ("needs_you", "newest"), ("closed", "due")])
async def test_pages_neither_repeat_nor_hide(pool: Pool, tab: Any, order: Any) -> None:
    """Equal times on purpose; a row that comes meanwhile does not move the others."""
    made = [
        await add(pool, opened_at=START + timedelta(hours=number // 3),
                  due_at=None if number % 2 else START + timedelta(days=number // 4))
        for number in range(23)
    ]  # fmt: skip
    if tab == "closed":
        await close(pool, made)
    found: list[str] = []
    cursor = None
    while True:
        part = await page(pool, tab=tab, order=order, limit=5, cursor=cursor)
        found += [review.id for review in part.reviews]
        if part.cursor is None:
            break
        cursor = part.cursor
        await add(pool, opened_at=START - timedelta(days=1), due_at=START - timedelta(days=1))
    ours = [review_id for review_id in found if review_id in {review.id for review in made}]
    assert sorted(ours) == sorted(review.id for review in made)


@pytest.mark.parametrize("cursor", ["", "x", "eyJhIjoxfQ==", "WyJkdWUiXQ==", "é"])
async def test_a_foreign_cursor_is_refused(pool: Pool, cursor: str) -> None:
    with pytest.raises(BadCursor):
        await page(pool, cursor=cursor)


async def test_a_cursor_of_another_order_is_refused(pool: Pool) -> None:
    for _ in range(3):
        await add(pool)
    first = await page(pool, limit=1)
    with pytest.raises(BadCursor):
        await page(pool, order="newest", cursor=first.cursor)


async def test_search(pool: Pool) -> None:
    await add(pool, search_text="Refund order 88123 broken blender")
    await add(pool, search_text="Refund order 99999 late parcel")
    for words, n in (("88123", 1), ("refund", 2), ("refund -late", 1), ('"late parcel"', 1), ("nothing", 0)):
        assert len((await page(pool, search=words)).reviews) == n, words
    assert (await page(pool, search="a\0b & ! ( ' :* <->")).reviews == ()


async def test_filters(pool: Pool) -> None:
    await add(pool, graph="a", amount_usd=50.0, risk="low")
    await add(pool, graph="b", amount_usd=500.0, risk="high", assistant_id="id", assistant_name="name")
    for query, n in (
        ({"graph": "a"}, 1), ({"min_amount_usd": 100.0}, 1), ({"risk": "high"}, 1), ({"assistant": "id"}, 1),
        ({"assistant": "name"}, 1), ({"needs_person": True}, 0), ({"shape": "plain"}, 2), ({"thread_id": "t"}, 0),
    ):  # fmt: skip
        assert len((await page(pool, **query)).reviews) == n, query


async def test_what_is_stuck(pool: Pool) -> None:
    moving, fresh, marked = await add(pool), await add(pool), await add(pool)
    for review in (moving, fresh):
        await decide(pool, review.id, ANN, answer(1))
    async with pool.connection() as conn:
        await conn.execute(
            "update reviews.reviews set send_after = now() - interval '1 hour' where id = %s", [moving.id]
        )
        await conn.execute("update reviews.reviews set needs_person = true where id = %s", [marked.id])
        stuck = {review.id for review in await store.stuck(conn, ANN)}
        assert stuck == {moving.id, marked.id}
        assert await store.stuck(conn, person("eve", groups=("none",))) == []

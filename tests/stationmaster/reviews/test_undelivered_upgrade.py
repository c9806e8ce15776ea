"""A database from before answers that can't be delivered were told of, brought up to date with answers on their way:
each goes on from where it was."""

import shutil
from pathlib import Path

import pytest

from stationmaster.postgres import connect, migrate
from stationmaster.postgres.migrate import DIRECTORY
from stationmaster.reviews import store
from stationmaster.reviews.database import Pool, open_pool
from stationmaster.reviews.model import Review, digest_of
from stationmaster.reviews.settling import settle
from tests.stationmaster.reviews.test_undelivered import BROKEN, LEA, Failing, desk_of, now, tried, update

BEFORE = "0027"
ASKED = """
insert into reviews.reviews (
    thread_id, interrupt_id, digest, kind, shape, graph, assistant_id, assistant_name, node, checkpoint_id, title,
    payload, groups)
select 'thread of ' || title, 'i', %(digest)s, 'interrupt', 'plain', 'support', 'a', 'support', 'ask', 'c', title,
    '"q"', array['desk']
from unnest(array['decided', 'sent']) as title
"""
ANSWERED = """
update reviews.reviews set
    state = 'decided', decided_by = 'ann', decided_at = now() - interval '3 days', decision = 'answer', answer = '1',
    resume = '{"kind": "resume", "value": 1}', send_after = now() - interval '3 days', tries = 400,
    worked_by = 'a console that is gone', worked_until = now()
"""
SENT = "update reviews.reviews set state = 'sent', sent_at = now() - interval '3 days' where title = 'sent'"


@pytest.fixture
async def upgraded(empty_database: str, tmp_path: Path) -> str:
    """Its URI. One answer had been tried for days, one was sent and its worker died."""
    for file in DIRECTORY.glob("*.sql"):
        if file.name < BEFORE:
            shutil.copy(file, tmp_path)
    await migrate(empty_database, tmp_path)
    async with await connect(empty_database) as conn:
        await conn.execute(ASKED, {"digest": digest_of("q", None)})
        await conn.execute(ANSWERED)
        await conn.execute(SENT)
    applied = await migrate(empty_database)
    assert applied[0].startswith(BEFORE)
    return empty_database


async def reviews(pool: Pool) -> list[Review]:
    async with pool.connection() as conn:
        rows = await (await conn.execute("select id from reviews.reviews order by title")).fetchall()
        found = [await store.find(conn, str(row["id"])) for row in rows]
    return [review for review in found if review]


async def test_answers_on_their_way_go_on(upgraded: str) -> None:
    async with open_pool(upgraded) as pool:
        server = Failing(BROKEN)
        desk = desk_of(pool, server)
        for review in await reviews(pool):
            after = await tried(desk, review)
            assert after.state == review.title and after.delivery_tries and after.gave_up_at is None
        server.error = None
        for review in await reviews(pool):
            assert (await tried(desk, review)).state == "sent"
        assert server.sent == ["a", "a"]
        assert {review.resume_run_id for review in await reviews(pool)} == {"run-1", "run-2"}


async def test_one_that_never_left_can_be_closed(upgraded: str) -> None:
    async with open_pool(upgraded) as pool:
        review = (await reviews(pool))[0]
        await tried(desk_of(pool, Failing(BROKEN)), review)
        await update(pool, review, "worked_until = null")
        assert (await settle(pool, review.id, LEA, "give_up", "by hand")).state == "failed"
        assert (await now(pool, review)).sent_at is None

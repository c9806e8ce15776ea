"""A link that can act: made for one review and one decision, used once, by a POST, while the review is open."""

import asyncio
import json
import re

import pytest

from stationmaster.reviews import audit, notify
from stationmaster.reviews.access.errors import LinkRefused
from stationmaster.reviews.database import Connection, Pool
from stationmaster.reviews.model import Review
from stationmaster.reviews.notify import links
from tests.stationmaster.reviews.events.conftest import settings_of
from tests.stationmaster.reviews.events.receiver import Receiver
from tests.stationmaster.reviews.notify.conftest import opened

ACT = re.compile(
    r"(Approve|Reject) \(asks once more, works once\): https://console\.example/act/(smd_[\w-]+)"
)


async def made(pool: Pool, review: Review, decision: links.Decision = "approve") -> str:
    async with pool.connection() as conn:
        return await links.create(conn, review.id, decision, "support")


async def used(pool: Pool, sent: str) -> links.DecideLink:
    async with pool.connection() as conn:
        return await links.consume(conn, sent)


async def test_messages_carry_links_that_act_only_where_the_policy_says_so(
    pool: Pool, receiver: Receiver
) -> None:
    review = await opened(pool, {"opened": ["support"], "resolution": ["support"]}, decide_by_link=True)
    settings = settings_of(
        channels=f"support=json://127.0.0.1:{receiver.port}/x", public_url="https://console.example"
    )
    async with pool.connection() as conn:
        await notify.plan(conn, "opened", review)
    receiver.script.append(500)
    await notify.deliver_due(pool, settings)
    async with pool.connection() as conn:
        await conn.execute("UPDATE reviews.dispatches SET next_try_at = now()")
        await notify.plan(conn, "resolution", review)
    assert await notify.deliver_due(pool, settings) == 2
    failed, *others = [json.loads(request.body) for request in receiver.requests]
    (told,) = [other for other in others if other["title"].startswith("Needs you")]
    (resolved,) = [other for other in others if other is not told]
    found = dict(ACT.findall(told["message"]))
    assert set(found) == {"Approve", "Reject"} and not ACT.search(resolved["message"])
    assert found != dict(ACT.findall(failed["message"]))  # a new try, new links
    link = await used(pool, found["Reject"])
    assert (link.review_id, link.decision, link.audience) == (review.id, "reject", "support")
    async with pool.connection() as conn:
        dump = await (
            await conn.execute("SELECT string_agg(l::text, ',') AS all FROM reviews.one_time_links l")
        ).fetchone()
        bodies = await (
            await conn.execute("SELECT string_agg(body, ',') AS all FROM reviews.outbox")
        ).fetchone()
    assert dump is not None and bodies is not None
    assert not any(secret in dump["all"] + bodies["all"] for secret in found.values())


async def test_looking_changes_nothing_and_using_works_once(pool: Pool) -> None:
    review = await opened(pool, {})
    sent = await made(pool, review)
    async with pool.connection() as conn:
        for _ in range(3):
            assert (await links.look(conn, sent)).decision == "approve"
        assert await audit.history(conn, review.id) == []
    results = await asyncio.gather(*(used(pool, sent) for _ in range(10)), return_exceptions=True)
    won = [result for result in results if isinstance(result, links.DecideLink)]
    assert len(won) == 1 and all(isinstance(result, links.DecideLink | LinkRefused) for result in results)
    identity = won[0].identity
    assert (identity.name, identity.groups, identity.sees(review.groups)) == (
        "link:support",
        {"support"},
        True,
    )
    assert not identity.sees(["leads"]) and not identity.has("lead")
    async with pool.connection() as conn:
        (entry,) = await audit.history(conn, review.id)
        with pytest.raises(LinkRefused, match="used already"):
            await links.look(conn, sent)
    assert (entry.action, entry.actor, entry.detail) == ("link_used", "link:support", {"decision": "approve"})


async def expire(conn: Connection, _review: Review) -> None:
    await conn.execute("UPDATE reviews.one_time_links SET expires_at = now() - interval '1 second'")


async def close(conn: Connection, review: Review) -> None:
    await conn.execute(
        "UPDATE reviews.reviews SET state = 'withdrawn', closed_at = now() WHERE id = %(id)s",
        {"id": review.id},
    )


@pytest.mark.parametrize("end", [expire, close])
async def test_a_link_ends_with_its_time_and_with_its_question(pool: Pool, end: object) -> None:
    review = await opened(pool, {})
    sent = await made(pool, review)
    async with pool.connection() as conn:
        await (expire if end is expire else close)(conn, review)
    for attempt in (used, looked):
        with pytest.raises(LinkRefused):
            await attempt(pool, sent)


async def looked(pool: Pool, sent: str) -> links.DecideLink:
    async with pool.connection() as conn:
        return await links.look(conn, sent)


async def test_a_link_does_not_outlive_the_reviews_own_end(pool: Pool) -> None:
    review = await opened(pool, {})
    async with pool.connection() as conn:
        await conn.execute("UPDATE reviews.reviews SET expires_at = now() + interval '1 hour'")
    link = await looked(pool, await made(pool, review))
    assert (link.expires_at - review.opened_at).total_seconds() < 2 * 3600


@pytest.mark.parametrize("sent", ["", "smd_x", "smd_" + "x" * 43, "sml_" + "x" * 43, "\ud800"])
async def test_what_is_no_link(pool: Pool, sent: str) -> None:
    with pytest.raises(LinkRefused):
        await used(pool, sent)


async def test_a_link_signs_nobody_in(pool: Pool) -> None:
    from stationmaster.reviews.access import links as sign_in

    sent = await made(pool, await opened(pool, {}))
    with pytest.raises(LinkRefused):
        await sign_in.take(pool, sent, address="127.0.0.1")
    assert (await looked(pool, sent)).decision == "approve"

"""Events reach a real receiver at least once, signed, whatever it does with them and whoever dies on the way."""

import asyncio
import json
import os
import signal
import sys
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from standardwebhooks import Webhook

from stationmaster.reviews import events
from stationmaster.reviews.database import Pool
from stationmaster.reviews.events import emitting, posting
from stationmaster.reviews.model import Review
from stationmaster.reviews.outbox import queue
from tests.stationmaster.reviews.events.conftest import (
    OLDER_SECRET,
    SECRET,
    due_now,
    in_trouble,
    settings_for,
    settings_of,
)
from tests.stationmaster.reviews.events.receiver import Behaviour, Receiver, receiving
from tests.stationmaster.reviews.rows import insert


async def emitted(pool: Pool, **columns: object) -> Review:
    async with pool.connection() as conn:
        review = await insert(conn, **columns)
        await events.emit(conn, "opened", review)
    return review


async def test_an_event_is_signed_and_says_what_was_asked(pool: Pool, receiver: Receiver) -> None:
    payload = {"amount_usd": 640.0, "count": 1, "text": "caf\u00e9 \x00"}
    review = await emitted(pool, payload=payload, response_schema={"type": "object"})
    settings = settings_for(receiver, secrets=f"{SECRET},{OLDER_SECRET}")
    assert await events.deliver_due(pool, settings) == 1
    (request,) = receiver.requests
    for secret in (SECRET, OLDER_SECRET):
        body = Webhook(secret).verify(request.body, request.headers)
    assert (request.path, request.headers["content-type"]) == ("/hook", "application/json")
    assert body["type"] == "review.opened" and body["data"]["id"] == review.id
    assert body["data"]["payload"] == payload and type(body["data"]["payload"]["count"]) is int
    assert (body["data"]["digest"], body["data"]["state"]) == (review.digest, "open")
    assert await events.deliver_due(pool, settings) == 0 and not await in_trouble(pool)


async def test_nothing_goes_out_of_a_transaction_that_failed(pool: Pool, receiver: Receiver) -> None:
    async def fail() -> None:
        async with pool.connection() as conn:
            await events.emit(conn, "decided", await insert(conn))
            raise ValueError("afterwards")

    with pytest.raises(ValueError, match="afterwards"):
        await fail()
    assert await events.deliver_due(pool, settings_for(receiver)) == 0 and not receiver.requests


async def test_a_payload_too_large_for_an_event_is_left_out_and_says_so(
    pool: Pool, receiver: Receiver
) -> None:
    await emitted(pool, payload={"text": "x" * emitting.LARGEST_PAYLOAD})
    await events.deliver_due(pool, settings_for(receiver))
    data = json.loads(receiver.requests[0].body)["data"]
    assert data["payload"] is None and data["payload_left_out"] is True


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        (500, "answered 500"),
        (404, "answered 404"),
        (302, "a redirect, which is not followed"),
        ("cut", "no connection, or one that was cut"),
        ("hang", "no answer within"),
        ("dribble", "no answer within"),
    ],
)
async def test_a_receiver_that_fails_gets_the_same_event_again(
    pool: Pool, receiver: Receiver, monkeypatch: pytest.MonkeyPatch, behaviour: Behaviour, said: str
) -> None:
    monkeypatch.setattr(posting, "READ_S", 0.4)
    monkeypatch.setattr(posting, "TOTAL_S", 0.8)
    settings = settings_for(receiver)
    await emitted(pool)
    receiver.script.append(behaviour)
    assert await events.deliver_due(pool, settings) == 1
    (trouble,) = await in_trouble(pool)
    assert said in trouble.last_error and (trouble.state, trouble.tries) == ("waiting", 1)
    assert trouble.next_try_at > trouble.created_at + timedelta(seconds=2)
    assert await events.deliver_due(pool, settings) == 0  # not before its time
    await due_now(pool)
    assert await events.deliver_due(pool, settings) == 1 and not await in_trouble(pool)
    first, second = receiver.requests
    assert first.path == second.path == "/hook"
    assert (first.headers["webhook-id"], first.body) == (second.headers["webhook-id"], second.body)
    Webhook(SECRET).verify(second.body, second.headers)


async def test_nobody_listening(pool: Pool, receiver: Receiver) -> None:
    await emitted(pool)
    async with receiving() as gone:
        settings = settings_for(gone)
    assert await events.deliver_due(pool, settings) == 1
    assert "no connection" in (await in_trouble(pool))[0].last_error


async def test_an_endless_answer_is_not_read(pool: Pool, receiver: Receiver) -> None:
    await emitted(pool)
    receiver.script.append("endless")
    async with asyncio.timeout(30):
        assert await events.deliver_due(pool, settings_for(receiver)) == 1
    assert not await in_trouble(pool)


async def test_dead_letters_are_listed_and_can_be_replayed(pool: Pool, receiver: Receiver) -> None:
    """One whose receiver is gone for good, one that was tried for its whole day."""
    settings = settings_for(receiver)
    await emitted(pool)
    receiver.script.extend([410])
    await events.deliver_due(pool, settings)
    unheard = await emitted(pool)
    async with pool.connection() as conn:
        await queue.spread(
            conn, "event", []
        )  # when no URL is configured, there is nobody to tell, now or later
    receiver.script.append(500)
    await emitted(pool)
    await events.deliver_due(pool, settings)
    async with pool.connection() as conn:
        await conn.execute("UPDATE reviews.dispatches SET give_up_at = now() WHERE state = 'waiting'")
    await due_now(pool)
    receiver.script.append(500)
    await events.deliver_due(pool, settings)
    troubles = await in_trouble(pool)
    assert [trouble.state for trouble in troubles] == ["dead", "dead"]
    assert await events.deliver_due(pool, settings) == 0
    async with pool.connection() as conn:
        for trouble in troubles:
            assert await queue.replay(conn, trouble.message_id, trouble.receiver)
            assert not await queue.replay(conn, trouble.message_id, trouble.receiver)
    assert await events.deliver_due(pool, settings) == 2 and not await in_trouble(pool)
    ids = [request.headers["webhook-id"] for request in receiver.requests]
    assert sorted(set(ids)) == sorted(trouble.message_id for trouble in troubles)
    assert unheard.id not in {json.loads(request.body)["data"]["id"] for request in receiver.requests}


async def test_each_url_gets_every_event_and_one_that_hangs_delays_no_other(
    pool: Pool, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "READ_S", 60)
    async with receiving() as slow:
        slow.script.extend(("hang",) * 30)
        for _ in range(30):
            await emitted(pool)
        working = asyncio.create_task(events.deliver_due(pool, settings_for(slow, receiver)))
        async with asyncio.timeout(30):
            for _ in range(30):
                await receiver.arrived.get()
            assert len(slow.requests) == queue.SHARE
            await emitted(pool)  # while the other hangs
            await receiver.arrived.get()
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)


async def test_workers_side_by_side_send_each_event_once(pool: Pool, receiver: Receiver) -> None:
    for _ in range(40):
        await emitted(pool)
    settings = settings_for(receiver)
    assert sum(await asyncio.gather(*(events.deliver_due(pool, settings) for _ in range(4)))) == 40
    ids = [request.headers["webhook-id"] for request in receiver.requests]
    assert len(ids) == len(set(ids)) == 40


WORKER = """
import asyncio, sys
from stationmaster.reviews import events
from stationmaster.reviews.database import open_pool
from stationmaster.settings import Settings

async def main():
    async with open_pool(sys.argv[1]) as pool:
        await events.deliver_due(pool, Settings(event_urls=sys.argv[2]))

asyncio.run(main())
"""


async def test_a_worker_killed_between_sending_and_marking_sends_again_under_the_same_id(
    database: str, pool: Pool, receiver: Receiver
) -> None:
    await emitted(pool)
    receiver.script.append("hang")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WORKER, database, f"{receiver.url}#{SECRET}", env={**os.environ}
    )
    first = await receiver.arrived.get()  # the whole event is with the receiver, and nothing is marked
    process.send_signal(signal.SIGKILL)
    await process.wait()
    settings = settings_for(receiver)
    assert await events.deliver_due(pool, settings) == 0  # the dead worker still has it, for a while
    await due_now(pool)
    assert await events.deliver_due(pool, settings) == 1
    second = receiver.requests[1]
    assert (first.headers["webhook-id"], first.body) == (second.headers["webhook-id"], second.body)


async def test_a_url_taken_out_of_the_settings_ends_as_a_dead_letter(pool: Pool, receiver: Receiver) -> None:
    await emitted(pool)
    receiver.script.append(500)
    await events.deliver_due(pool, settings_for(receiver))
    await due_now(pool)
    assert await events.deliver_due(pool, settings_for()) == 1
    (trouble,) = await in_trouble(pool)
    assert trouble.state == "dead" and "configured no more" in trouble.last_error


async def test_a_token_in_the_query_is_not_shown(pool: Pool, receiver: Receiver) -> None:
    await emitted(pool)
    receiver.script.append(500)
    settings = settings_of(event_urls=f"{receiver.url}?token=sesame#{SECRET}")
    await events.deliver_due(pool, settings)
    assert receiver.requests[0].path == "/hook?token=sesame"
    (trouble,) = await in_trouble(pool)
    assert (
        trouble.shown == receiver.url
        and "sesame" not in f"{trouble}{settings!r}"
        and SECRET not in repr(settings)
    )


async def test_what_everybody_accepted_is_forgotten_after_a_while_and_dead_letters_are_not(
    pool: Pool, receiver: Receiver
) -> None:
    receiver.script.extend([204, 410])
    for _ in range(2):
        await emitted(pool)
        await events.deliver_due(pool, settings_for(receiver))
    async with pool.connection() as conn:
        assert await queue.tidy(conn) == 0
        assert await queue.tidy(conn, timedelta(0)) == 1
    assert [trouble.state for trouble in await in_trouble(pool)] == ["dead"]


@given(st.integers(1, 10_000), st.floats(0, 1, exclude_max=True))
def test_the_wait_grows_to_hours_and_is_never_the_same_for_all(tries: int, chance: float) -> None:
    wait = queue.delay_s(tries, chance)
    middle = min(5 * 4 ** min(tries - 1, 12), 6 * 3600)
    assert 0.5 * middle <= wait <= 1.5 * middle  # a float next to 1 rounds up to it

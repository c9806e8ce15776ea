"""What is kept of a known sender's delivery, once, and how the receiver bears bad bodies and a lost database."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import cast

import psycopg
import pytest
from psycopg.sql import SQL, Identifier, Literal
from starlette.requests import Request

from tests.webhooks.receiving import Reception, bearer, hook, signed, until
from webhooks import keeping, receiver
from webhooks.body import LIMIT_BYTES, TooLarge, read_body
from webhooks.senders import Known

THREAD = "22222222-2222-2222-2222-222222222222"
RUN = "33333333-3333-3333-3333-333333333333"


async def test_the_raw_body_is_kept_to_the_byte_beside_what_the_work_needs(guarded: Reception) -> None:
    body = f'{{ "thread_id":"{THREAD}",\n "run_id": "{RUN}", "status":"success", "x": 1.50, "n": "\\u0000"}}'.encode()
    assert (await guarded.post(body, bearer())).status_code == 204
    (row,) = await guarded.rows()
    assert bytes(row["body"]) == body
    assert (row["thread_id"], row["run_id"], row["run_status"]) == (THREAD, RUN, "success")
    assert (row["state"], row["tries"], row["repeats"]) == ("new", 0, 0)


@pytest.mark.parametrize("by", ["id", "body"])
async def test_the_same_delivery_fifty_times_at_once_is_kept_once(guarded: Reception, by: str) -> None:
    body = hook(THREAD)
    headers = signed(body) if by == "id" else bearer()
    answers = await asyncio.gather(*(guarded.post(body, headers) for _ in range(50)))
    assert {answer.status_code for answer in answers} == {204}
    (row,) = await guarded.rows()
    assert row["repeats"] == 49


async def test_one_id_signed_anew_for_each_try_is_one_delivery(guarded: Reception) -> None:
    body = hook(THREAD)
    for message_id in ("msg_1", "msg_1", "msg_2"):
        assert (await guarded.post(body, signed(body, message_id=message_id))).status_code == 204
    assert [row["dedup_key"] for row in await guarded.rows()] == ["id:msg_1", "id:msg_2"]


async def test_two_runs_of_a_thread_are_two_deliveries(guarded: Reception) -> None:
    for sent_at in ("2026-01-01T00:00:00Z", "2026-01-01T00:00:01Z"):
        await guarded.post(hook(THREAD, webhook_sent_at=sent_at), bearer())
    assert [row["thread_id"] for row in await guarded.rows()] == [THREAD, THREAD]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"", "JSON"),
        (b"\xff\xfe not text", "JSON"),
        (b"{", "JSON"),
        (b"[]", "body"),
        (b"{}", "thread_id"),
        (b'{"thread_id": null}', "thread_id"),
        (b'{"thread_id": "../../assistants"}', "thread_id"),
        (b'{"thread_id": "22222222-2222-2222-2222-222222222222", "status": "a\\u0000b"}', "status"),
        (b"[" * 100_000, "JSON"),
        (b'{"thread_id": "\\u0000"}', "thread_id"),
        (b'{"thread_id": "\\u0000' + b"x" * 100_000 + b'"}', "thread_id"),
    ],
)
async def test_what_a_known_sender_sends_and_nobody_can_read_is_kept_and_shown(
    guarded: Reception, body: bytes, why: str
) -> None:
    assert (await guarded.post(body, bearer())).status_code == 204
    (row,) = await guarded.rows()
    assert (row["state"], row["thread_id"], bytes(row["body"])) == ("unreadable", None, body)
    assert why in row["error"]


async def test_five_megabytes_are_taken_and_a_byte_more_is_not(guarded: Reception) -> None:
    start = f'{{"thread_id": "{THREAD}", "values": "'.encode()
    body = start + b"x" * (LIMIT_BYTES - len(start) - 2) + b'"}'
    assert (await guarded.post(body, bearer())).status_code == 204
    assert (await guarded.post(body + b" ", bearer())).status_code == 413
    (row,) = await guarded.rows()
    assert (len(row["body"]), row["state"]) == (LIMIT_BYTES, "new")
    assert await guarded.refusals(1) == {"too_large": 1}


@asynccontextmanager
async def connected(
    at: Reception, *headers: str
) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A raw connection on which the head of a known sender's request was sent."""
    reader, writer = await asyncio.open_connection("127.0.0.1", at.port)
    lines = [f"POST {receiver.PATH} HTTP/1.1", "Host: 127.0.0.1", *headers]
    lines += [f"{name}: {value}" for name, value in bearer().items()]
    writer.write("\r\n".join([*lines, "", ""]).encode())
    try:
        yield reader, writer
    finally:
        writer.close()


async def status(reader: asyncio.StreamReader) -> int:
    return int((await asyncio.wait_for(reader.readline(), 20)).split()[1])


async def test_a_body_without_end_is_cut_off_at_the_limit(guarded: Reception) -> None:
    chunk = b"%x\r\n%b\r\n" % (65536, b"x" * 65536)
    sent = 0
    async with connected(guarded, "Transfer-Encoding: chunked") as (reader, writer):
        answer = asyncio.create_task(status(reader))
        while not answer.done() and sent < 20 * LIMIT_BYTES:
            writer.write(chunk)
            await writer.drain()
            await asyncio.sleep(0)
            sent += 65536
        assert await answer == 413
    assert sent < 2 * LIMIT_BYTES  # what lay in the sockets on the way included
    assert await guarded.rows() == []


async def test_a_length_beyond_the_limit_is_refused_before_any_of_it_came(guarded: Reception) -> None:
    async with connected(guarded, f"Content-Length: {LIMIT_BYTES + 1}") as (reader, _):
        assert await status(reader) == 413


async def test_a_length_that_says_too_little_does_not_open_the_limit() -> None:
    """Behind a server that trusts the header less than ours does; uvicorn itself cuts at the length."""
    sent = 0

    async def receive() -> dict[str, object]:
        nonlocal sent
        sent += 65536
        return {"type": "http.request", "body": b"x" * 65536, "more_body": True}

    request = Request({"type": "http", "method": "POST", "headers": [(b"content-length", b"10")]}, receive)
    with pytest.raises(TooLarge):
        await read_body(request)
    assert sent <= LIMIT_BYTES + 65536


async def test_a_body_that_trickles_is_given_up(guarded: Reception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiver, "BODY_S", 0.3)
    async with connected(guarded, "Content-Length: 1000") as (reader, writer):
        answer = asyncio.create_task(status(reader))
        while not answer.done():
            writer.write(b"x")
            await asyncio.wait({answer}, timeout=0.02)
        assert await answer == 408
    assert await guarded.refusals(1) == {"too_slow": 1}
    assert await guarded.rows() == []


async def test_many_slow_senders_do_not_hold_up_a_quick_one(guarded: Reception) -> None:
    slow = [connected(guarded, "Content-Length: 1000") for _ in range(200)]
    opened = [await each.__aenter__() for each in slow]
    assert len(opened) == 200
    started = time.monotonic()
    assert (await guarded.post(hook(), bearer())).status_code == 204
    assert time.monotonic() - started < 1
    for each in slow:
        await each.__aexit__(None, None, None)
    async with asyncio.timeout(10):  # all of them were let go without a trace
        assert (await guarded.post(hook(), bearer())).status_code == 204
    assert len(await guarded.rows()) == 2


async def test_a_sender_that_hangs_up_in_the_middle_leaves_nothing(guarded: Reception) -> None:
    async with connected(guarded, "Content-Length: 1000") as (_, writer):
        writer.write(b'{"thread_id": ')
        await writer.drain()
    assert (await guarded.post(hook(THREAD), bearer())).status_code == 204
    assert [row["thread_id"] for row in await guarded.rows()] == [THREAD]


async def test_only_post_is_served(guarded: Reception) -> None:
    assert (await guarded.http.get(receiver.PATH)).status_code == 405


async def taken(at: Reception) -> bool:
    return (await at.post(hook(THREAD), bearer())).status_code == 204


async def test_without_the_database_the_sender_is_asked_to_come_again(
    guarded: Reception, server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The database takes no connection and the open ones are cut; it comes back, and so does the sender."""
    monkeypatch.setattr(keeping, "TIMEOUT_S", 0.5)
    async with guarded.pool.connection() as conn:
        name = conn.info.dbname
    with psycopg.connect(server, autocommit=True) as admin:
        allow = SQL("alter database {} allow_connections {}")
        admin.execute(allow.format(Identifier(name), Literal(False)))
        admin.execute("select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,))
        response = await guarded.post(hook(THREAD), bearer())
        assert (response.status_code, response.headers["retry-after"]) == (503, "1")
        admin.execute(allow.format(Identifier(name), Literal(True)))
    await until(lambda: taken(guarded))
    assert [row["thread_id"] for row in await guarded.rows()] == [THREAD]


async def test_one_that_the_database_refuses_takes_no_other_with_it(guarded: Reception) -> None:
    keeper = keeping.Keeper()
    good = [keeping.Delivery(f"good {number}", "bearer", b"", "new", THREAD) for number in range(3)]
    bad = keeping.Delivery("bad", cast("Known", "a stranger"), b"", "new", THREAD)
    all_at_once = [keeper.keep(each, guarded.pool) for each in (good[0], bad, *good[1:], good[0])]
    outcomes = await asyncio.gather(*all_at_once, return_exceptions=True)
    assert [type(each) for each in outcomes if each is not None] == [psycopg.errors.CheckViolation]
    rows = await guarded.rows()
    assert {row["dedup_key"]: row["repeats"] for row in rows} == {"good 0": 1, "good 1": 0, "good 2": 0}

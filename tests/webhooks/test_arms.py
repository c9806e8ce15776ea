"""How runs under a canary ended is kept with their delivery, once, and bad stamps are no reason to lose a hook."""

import uuid
from typing import Any

import pytest

from stationmaster.reviews.database import Pool
from tests.webhooks.receiving import Reception, bearer, hook
from webhooks import worker

THREAD = "22222222-2222-2222-2222-222222222222"
STAMP: dict[str, Any] = {
    "id": "c1",
    "arm": "canary",
    "assistant": "support-next",
    "assistant_id": "a",
    "version": 3,
}
TIMES = {
    "created_at": "2026-11-30T12:00:00+00:00",
    "run_started_at": "2026-11-30T12:00:01.5+00:00",
    "run_ended_at": "2026-11-30T12:00:04",
}


async def kept(pool: Pool) -> list[Any]:
    async with pool.connection() as conn:
        return await (await conn.execute("select * from assistants.canary_runs order by run_id")).fetchall()


async def test_a_run_of_a_canary_is_kept_once_with_its_times(guarded: Reception) -> None:
    run_id = str(uuid.uuid4())
    for sent_at in ("1", "2"):
        body = hook(THREAD, run_id=run_id, metadata={"canary": STAMP}, webhook_sent_at=sent_at, **TIMES)
        assert (await guarded.post(body, bearer())).status_code == 204
    (row,) = await kept(guarded.pool)
    assert (row["run_id"], row["thread_id"], row["canary_id"], row["arm"]) == (run_id, THREAD, "c1", "canary")
    assert (row["assistant"], row["version"], row["status"]) == ("support-next", 3, "success")
    assert (row["ended_at"] - row["started_at"]).total_seconds() == 2.5


@pytest.mark.parametrize(
    "metadata",
    [
        {}, None, {"canary": None}, {"canary": {}}, {"canary": {**STAMP, "arm": "both"}},
        {"canary": {**STAMP, "id": None}}, {"canary": {**STAMP, "id": "a\x00b"}},
        {"canary": {**STAMP, "assistant": "\ud800"}}, {"note": "canary"}, {"canary": {**STAMP, "version": 2**40}},
        {"canary": {**STAMP, "version": -(2**40)}},
    ],
)  # fmt: skip
async def test_other_runs_and_unreadable_stamps_leave_the_delivery_as_it_is(
    guarded: Reception, metadata: Any
) -> None:
    body = hook(THREAD, run_id=str(uuid.uuid4()), metadata=metadata, **TIMES)
    assert (await guarded.post(body, bearer())).status_code == 204
    assert len(await guarded.rows()) == 1
    assert await kept(guarded.pool) == []


async def test_a_stamp_that_the_database_refuses_is_left_out(guarded: Reception) -> None:
    """Python has time zones a day wide, Postgres has not."""
    far = {**TIMES, "created_at": "2026-11-30T12:00:00+23:59"}
    body = hook(THREAD, run_id=str(uuid.uuid4()), metadata={"canary": STAMP}, **far)
    assert (await guarded.post(body, bearer())).status_code == 204
    (row,) = await guarded.rows()
    assert (row["state"], row["thread_id"]) == ("new", THREAD)
    assert await kept(guarded.pool) == []


async def test_it_outlives_the_delivery_and_not_for_ever(guarded: Reception) -> None:
    body = hook(THREAD, run_id=str(uuid.uuid4()), metadata={"canary": STAMP}, **TIMES)
    await guarded.post(body, bearer())
    async with guarded.pool.connection() as conn:
        await conn.execute(
            "update webhooks.deliveries set state = 'done', done_at = now() - interval '8 days'"
        )
    await worker.forget(guarded.pool)
    assert (await guarded.rows(), len(await kept(guarded.pool))) == ([], 1)
    async with guarded.pool.connection() as conn:
        await conn.execute("update assistants.canary_runs set kept_at = now() - interval '181 days'")
    await worker.forget(guarded.pool)
    assert await kept(guarded.pool) == []

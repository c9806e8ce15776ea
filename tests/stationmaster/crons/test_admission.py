"""The gate as the server's scheduler meets it: the same slot again, two replicas at once, no database, old slots."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from stationmaster.crons import history, operating
from stationmaster.crons.admission import Gate
from stationmaster.crons.errors import HistoryAway, SlotRefused
from stationmaster.crons.server import TICK
from stationmaster.reconcile.resources import ServedCron
from stationmaster.reviews.database import Connection
from tests.stationmaster.crons.operator import NEVER_SOON, Operator, outcomes


def a_run(cron: ServedCron) -> dict[str, Any]:
    """What the scheduler is about to make."""
    config = {"configurable": {"cron_id": cron.cron_id}}
    return {
        "run_id": uuid4(),
        "assistant_id": cron.assistant_id,
        "metadata": {},
        "kwargs": {"config": config},
    }


def gate(operator: Operator, since: datetime | None = None) -> Gate:
    return Gate(operator.server, operator.connections, since or datetime.now(UTC))


async def test_a_slot_is_decided_once(operator: Operator) -> None:
    cron = await operator.cron("once", schedule=NEVER_SOON)
    run = a_run(cron)
    await gate(operator).admit(run, in_request=False)
    async with operator.connections() as conn:
        [tick] = await history.page(conn, operator.key("once"))
    assert (run["metadata"][TICK], tick.run_id, tick.outcome) == (tick.id, str(run["run_id"]), "running")
    with pytest.raises(SlotRefused, match="was decided already"):
        await gate(operator, since=tick.at - timedelta(seconds=1)).admit(a_run(cron), in_request=False)


async def test_two_replicas_at_once_make_one_run(operator: Operator) -> None:
    cron = await operator.cron("race", schedule=NEVER_SOON)
    since = datetime.now(UTC) - timedelta(minutes=1)
    gates = [gate(operator, since) for _ in range(4)]
    results = await asyncio.gather(
        *(each.admit(a_run(cron), in_request=False) for each in gates), return_exceptions=True
    )
    assert results.count(None) == 1
    assert all(result is None or isinstance(result, SlotRefused) for result in results)
    async with operator.connections() as conn:
        assert len(await history.page(conn, operator.key("race"))) == 1


async def test_duplicates_share_their_slots(operator: Operator) -> None:
    first = await operator.cron("twin", schedule=NEVER_SOON)
    second = await operator.cron("twin", schedule=NEVER_SOON)
    assert first.cron_id != second.cron_id
    since = datetime.now(UTC) - timedelta(minutes=1)
    await gate(operator, since).admit(a_run(first), in_request=False)
    with pytest.raises(SlotRefused, match="nothing is run twice"):
        await gate(operator, since).admit(a_run(second), in_request=False)


async def test_a_run_that_was_lost_with_the_server_is_made_again(operator: Operator) -> None:
    """After `kill -9` the server comes back to a slot whose run it does not know; that has not ended by our record."""
    cron = await operator.cron("lost", schedule=NEVER_SOON)
    await gate(operator).admit(a_run(cron), in_request=False)
    again = a_run(cron)
    await gate(operator).admit(again, in_request=False)  # a later process
    async with operator.connections() as conn:
        newest, oldest = await history.page(conn, operator.key("lost"))
    assert outcomes([newest, oldest]) == ["running", "lost"]
    assert newest.planned_at == oldest.planned_at and newest.run_id == str(again["run_id"])


async def test_a_replica_takes_the_slot_of_one_that_died(operator: Operator) -> None:
    """It noted the slot, and did not live to make the run; the other began long before that."""
    cron = await operator.cron("died", schedule=NEVER_SOON)
    older = datetime.now(UTC) - timedelta(hours=1)
    await gate(operator, older).admit(a_run(cron), in_request=False)
    with pytest.raises(SlotRefused, match="decided already"):
        await gate(operator, older).admit(a_run(cron), in_request=False)  # it may still be making it
    async with operator.connections() as conn:
        await conn.execute(
            "update crons.ticks set at = at - interval '11 seconds' where cron = %s", (operator.key("died"),)
        )
    await gate(operator, older).admit(a_run(cron), in_request=False)


async def test_a_run_that_had_ended_is_not_made_again(operator: Operator) -> None:
    cron = await operator.cron("ended", schedule=NEVER_SOON)
    await gate(operator).admit(a_run(cron), in_request=False)
    async with operator.connections() as conn:
        [tick] = await history.page(conn, operator.key("ended"))
        await history.settle(conn, tick, "success")
    with pytest.raises(SlotRefused, match=r"decided already \(success\)"):
        await gate(operator).admit(a_run(cron), in_request=False)


async def test_without_the_database_crons_go_on_and_questions_are_kept(operator: Operator) -> None:
    @asynccontextmanager
    async def away() -> AsyncIterator[Connection]:
        raise HistoryAway("the database is away")
        yield

    unrecorded = Gate(operator.server, away)
    run = a_run(await operator.cron("free", schedule=NEVER_SOON))
    await unrecorded.admit(run, in_request=False)
    assert TICK not in run["metadata"]
    asks = await operator.cron("kept", "plain", NEVER_SOON, thread=operator.key("kept"))
    await operating.run_now(operator.server, operator.key("kept"), by="ann")
    await operator.until("kept", lambda ticks: outcomes(ticks) == ["waiting"])
    with pytest.raises(SlotRefused, match="a question waits for a person"):
        await unrecorded.admit(a_run(asks), in_request=False)


async def test_with_missed_skip_an_old_slot_is_noted_and_not_run(operator: Operator) -> None:
    cron = await operator.cron("old", schedule=NEVER_SOON, missed="skip")
    with pytest.raises(SlotRefused, match="missed: nobody came for it"):
        await gate(operator).admit(a_run(cron), in_request=False)
    async with operator.connections() as conn:
        assert outcomes(await history.page(conn, operator.key("old"))) == ["missed"]


async def test_a_thread_that_is_gone_gets_no_run(operator: Operator) -> None:
    """Half alive: the cron is there, its thread is not. The stock server deletes both at once; others may not."""
    cron = await operator.cron("half", schedule=NEVER_SOON, thread=operator.key("half"))
    await operator.server.delete_thread(str(cron.thread_id))

    class StillThere:
        """A server that kept the row."""

        def __getattr__(self, name: str) -> Any:
            return getattr(operator.server, name)

        async def cron(self, cron_id: str) -> ServedCron:
            return replace(cron, cron_id=cron_id)

    stale: Any = StillThere()
    with pytest.raises(SlotRefused, match="its thread is gone"):
        await Gate(stale, operator.connections).admit(a_run(cron), in_request=False)


async def test_what_a_client_says_inside_a_request_is_no_slot(operator: Operator) -> None:
    cron = await operator.cron("said", schedule=NEVER_SOON)
    run = {**a_run(cron), "metadata": {TICK: 7}}
    await gate(operator).admit(run, in_request=True)
    assert run["metadata"] == {}
    async with operator.connections() as conn:
        assert await history.page(conn, operator.key("said")) == []

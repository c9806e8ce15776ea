"""Crons on a real `langgraph dev`: slots that meet a question, work under way, and forged ones."""

import asyncio
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from stationmaster.crons import doctor
from stationmaster.crons.server import TICK
from stationmaster.crons.turns import give_turns
from tests.fakes.graphs import ledger
from tests.stationmaster.crons.conftest import RUNTIMES
from tests.stationmaster.crons.operator import EVERY_SECOND, NEVER_SOON, Operator, came, outcomes


@pytest.mark.parametrize("crons_on", RUNTIMES, indirect=True)
async def test_each_slot_is_one_run_and_one_row(operator: Operator, cron_database: str) -> None:
    await operator.cron("steady")
    ticks = await operator.until("steady", lambda ticks: outcomes(ticks).count("success") >= 3)
    runs = [tick for tick in ticks if tick.run_id and tick.outcome == "success"]
    planned = [tick.planned_at for tick in runs]
    assert len(set(planned)) == len(planned) and all(at and at.microsecond == 0 for at in planned)
    assert all(
        tick.planned_at and timedelta() <= tick.at - tick.planned_at < timedelta(seconds=10) for tick in runs
    )
    assert len(ledger.read(cron_database, operator.key("steady"))) >= len(runs)
    run = await operator.server.client.runs.get(str(runs[0].thread_id), str(runs[0].run_id))
    assert (run["metadata"] or {})[TICK] == runs[0].id


async def test_a_schedule_that_ends_runs_its_last_slot_and_keeps_no_other_cron_up(operator: Operator) -> None:
    at = datetime.now(UTC).replace(microsecond=0) + timedelta(seconds=4)
    schedule = f"{at.minute} {at.hour} {at.day} {at.month} * {at.second} {at.year}"
    once = await operator.cron("once", schedule=schedule)
    await operator.cron("behind")
    [tick] = await operator.until("once", lambda ticks: outcomes(ticks) == ["success"])
    assert (tick.planned_at, tick.slots) == (at, 1)
    # No next date can be written: the server would come for the same slot for ever.
    # The durable runtime comes again when its claim of the slot has run out.
    async with asyncio.timeout(60):
        while (left := await operator.server.cron(once.cron_id)) and left.enabled:  # noqa: ASYNC110
            await asyncio.sleep(0.2)  # between two looks at the state that is waited for
    ticks = await operator.ticks("behind")
    assert await operator.until("behind", lambda later: outcomes(later).count("success") > len(ticks) + 1)
    assert len(await operator.ticks("once")) == 1


async def test_failures_are_told_with_their_reason(operator: Operator) -> None:
    await operator.cron("bad", input={"fail": True})
    ticks = await operator.until("bad", lambda ticks: outcomes(ticks).count("error") >= 3)
    assert (
        next(tick.reason for tick in ticks if tick.outcome == "error")
        == "ValueError('the report has no rows')"
    )
    found = await doctor.examine(operator.server, operator.connections)
    assert ("failing", operator.key("bad")) in {(each.kind, each.cron) for each in found}


async def test_skip_keeps_the_question_and_says_why(operator: Operator) -> None:
    await operator.cron("asks", "plain", thread=operator.key("desk"))
    other = await operator.cron("other")
    ticks = came(await operator.until("asks", lambda ticks: outcomes(ticks).count("skipped") >= 2))
    assert outcomes(ticks)[0] == "waiting" and set(outcomes(ticks)[1:]) == {"skipped"}
    thread_id = str(ticks[0].thread_id)
    question = await operator.question(thread_id)
    assert f"a question waits for a person on its thread {thread_id}" in {tick.reason for tick in ticks}
    # The scheduler went on with the crons behind it.
    assert await operator.until("other", lambda ticks: outcomes(ticks).count("success") >= 2)
    assert await operator.question(thread_id) == question != ""
    assert len(await operator.server.client.runs.list(thread_id)) == 1
    await operator.server.gateway.delete_cron(other.cron_id)
    await operator.answer(thread_id)
    ticks = came(
        await operator.until(
            "asks", lambda ticks: outcomes(ticks).count("waiting") == 1 and "success" in outcomes(ticks)
        )
    )
    assert outcomes(ticks)[0] == "success"


async def test_skip_on_fresh_threads_waits_for_the_run_before(operator: Operator) -> None:
    await operator.cron("fresh", "plain")
    ticks = await operator.until("fresh", lambda ticks: "skipped" in outcomes(ticks))
    waiting = [tick for tick in ticks if tick.outcome == "waiting"]
    assert len(waiting) == 1 and waiting[0].fresh
    assert "waits for a person, on thread" in str(
        next(tick.reason for tick in ticks if tick.outcome == "skipped")
    )
    assert await operator.question(str(waiting[0].thread_id))


async def test_queue_lets_one_slot_wait_for_its_turn(operator: Operator, cron_database: str) -> None:
    cron = await operator.cron("queued", "plain", thread=operator.key("line"), overlap="queue")
    ticks = came(await operator.until("queued", lambda ticks: "skipped" in outcomes(ticks)))
    assert outcomes(ticks).count("queued") == 1 and outcomes(ticks)[0] == "waiting"
    waits = next(tick for tick in ticks if tick.outcome == "queued")
    await operator.server.gateway.patch_cron(
        cron.cron_id, schedule=NEVER_SOON
    )  # the turn comes from the queue alone
    assert await give_turns(operator.server, operator.connections) == 0
    await operator.answer(str(ticks[0].thread_id))
    assert await give_turns(operator.server, operator.connections) == 1
    ticks = came(
        await operator.until(
            "queued", lambda ticks: outcomes(ticks).count("waiting") == 1 and "queued" not in outcomes(ticks)
        )
    )
    turn = next(tick for tick in ticks if tick.outcome == "waiting")
    assert (turn.id, turn.planned_at, turn.trigger) == (waits.id, waits.planned_at, "schedule")
    assert turn.planned_at is not None and turn.at > turn.planned_at
    assert outcomes(ticks)[0] == "success"
    assert len(ledger.read(cron_database, operator.key("queued"))) == 1  # the second asks now
    assert await give_turns(operator.server, operator.connections) == 0


async def test_without_a_console_the_next_slot_gives_the_turn(operator: Operator) -> None:
    await operator.cron("alone", "plain", thread=operator.key("alone"), overlap="queue")
    ticks = came(await operator.until("alone", lambda ticks: "queued" in outcomes(ticks)))
    waits = next(tick for tick in ticks if tick.outcome == "queued")
    await operator.answer(str(ticks[0].thread_id))
    ticks = came(
        await operator.until(
            "alone", lambda ticks: any(tick.id == waits.id and tick.run_id for tick in ticks)
        )
    )
    assert outcomes(ticks).count("queued") == 1  # the slot that came waits now itself


async def test_replace_is_explicit(operator: Operator) -> None:
    await operator.cron("eager", "plain", thread=operator.key("eager"), overlap="replace")
    ticks = came(await operator.until("eager", lambda ticks: outcomes(ticks).count("cancelled") >= 1))
    assert str(ticks[0].reason).startswith("replaced by the slot of ")
    later = next(tick for tick in ticks[1:] if tick.run_id)
    assert later.outcome in ("waiting", "running", "cancelled")


async def test_work_under_way_is_not_run_into(operator: Operator) -> None:
    await operator.cron("long", "slow", thread=operator.key("long"), input={"seconds": 20})
    ticks = came(await operator.until("long", lambda ticks: "skipped" in outcomes(ticks)))
    assert outcomes(ticks)[0] == "running"
    assert "is under way on its thread" in str(
        next(tick.reason for tick in ticks if tick.outcome == "skipped")
    )


async def test_a_cron_that_no_file_owns_does_not_take_a_question_either(operator: Operator) -> None:
    client = operator.server.client
    thread = await client.threads.create()
    given = {"key": operator.key("stray"), "question": "ok?"}
    await client.runs.wait(thread["thread_id"], "plain", input=given)
    question = await operator.question(thread["thread_id"])
    made: Any = await client.crons.create_for_thread(
        thread["thread_id"], "plain", schedule=EVERY_SECOND, input=given
    )
    cron_id = str(made["cron_id"])
    operator.prefix, name = cron_id[:8], cron_id[9:]
    ticks = await operator.until(name, lambda ticks: "skipped" in outcomes(ticks))
    assert ticks[0].cron == cron_id and not any(tick.run_id for tick in ticks)
    assert await operator.question(thread["thread_id"]) == question


async def test_a_forged_cron_id_is_no_slot(operator: Operator) -> None:
    """v2 commands let `configurable.cron_id` through: the run is made, and counts as anybody's."""
    cron = await operator.cron("forged", schedule=NEVER_SOON)
    client = operator.server.client
    thread = await client.threads.create()
    params = {
        "assistant_id": cron.assistant_id, "input": {"key": operator.key("forged"), "fail": False},
        "config": {"configurable": {"cron_id": cron.cron_id}},
        "metadata": {**cron.metadata, "cron_id": cron.cron_id, TICK: 1},
    }  # fmt: skip
    body = {"method": "run.start", "id": 1, "params": params}
    await client.http.post(f"/threads/{thread['thread_id']}/commands", json=body)
    run: Any = (await client.runs.list(thread["thread_id"]))[0]
    assert run["kwargs"]["config"]["configurable"]["cron_id"] == cron.cron_id  # what the handler saw
    assert TICK not in (run["metadata"] or {})
    assert await operator.ticks("forged") == []

"""What an operator does with crons on a real `langgraph dev`: run now, pause and resume, delete, remove old threads."""

import asyncio
from collections.abc import Callable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from langgraph_sdk.errors import ConflictError

from stationmaster.crons import desk, doctor, history, operating, worker
from stationmaster.crons.errors import CronError, NoSuchCron, SlotRefused
from stationmaster.crons.model import Tick
from stationmaster.crons.pruning import prune
from stationmaster.crons.server import STARTED, CronServer
from stationmaster.reconcile.errors import ServerRefused
from stationmaster.reconcile.resources import PAUSED, assistant_id
from stationmaster.reviews.database import open_pool
from stationmaster.reviews.desk import Desk
from tests.fakes.agent_server import AgentServer
from tests.stationmaster.crons.operator import NEVER_SOON, Operator, came, outcomes, past
from tests.stationmaster.reviews.engine import OneGroup


async def test_run_now_is_noted_with_who(operator: Operator) -> None:
    cron = await operator.cron("now", schedule=NEVER_SOON, timezone="Europe/London")
    started = await operating.run_now(operator.server, operator.key("now"), by="ben")
    [tick] = await operator.until("now", lambda ticks: outcomes(ticks) == ["success"])
    assert (tick.id, tick.trigger, tick.started_by, tick.planned_at) == (started.tick, "person", "ben", None)
    assert tick.run_id == started.run_id and tick.thread_id == started.thread_id
    thread = await operator.server.client.threads.get(started.thread_id)
    assert (thread["metadata"] or {})["name"] == operator.key("now")
    after = await operator.server.cron(cron.cron_id)
    assert after is not None and after.next_run_at == cron.next_run_at


async def test_run_now_takes_no_question(operator: Operator) -> None:
    await operator.cron("busy", "plain", NEVER_SOON, thread=operator.key("busy"))
    first = await operating.run_now(operator.server, operator.key("busy"), by="ben")
    await operator.until("busy", lambda ticks: outcomes(ticks) == ["waiting"])
    question = await operator.question(first.thread_id)
    with pytest.raises(SlotRefused, match=r"a question waits for a person .* answer it"):
        await operating.run_now(operator.server, operator.key("busy"), by="ben")
    assert await operator.question(first.thread_id) == question
    assert len(await operator.ticks("busy")) == 1


async def test_run_now_takes_no_work_and_with_replace_a_question(operator: Operator) -> None:
    work = {"thread": operator.key("hand"), "overlap": "replace"}
    await operator.cron("work", "slow", NEVER_SOON, input={"seconds": 20}, **work)
    first = await operating.run_now(operator.server, operator.key("work"), by="ann")
    with pytest.raises(SlotRefused, match=r"is under way on its thread: wait for its end"):
        await operating.run_now(operator.server, operator.key("work"), by="ben")
    [tick] = await operator.ticks("work")
    assert (tick.outcome, tick.run_id) == ("running", first.run_id)  # nothing is said of a run that never was
    await operator.cron("asking", "plain", NEVER_SOON, thread=operator.key("asking"), overlap="replace")
    await operating.run_now(operator.server, operator.key("asking"), by="ann")
    await operator.until("asking", lambda ticks: outcomes(ticks) == ["waiting"])
    await operating.run_now(operator.server, operator.key("asking"), by="ben")
    ticks = await operator.until("asking", lambda ticks: outcomes(ticks)[1:] == ["waiting"])
    assert (ticks[0].outcome, ticks[0].reason) == ("cancelled", "replaced by a run that ben started")


async def test_who_says_that_a_run_is_a_crons_must_name_its_assistant(operator: Operator) -> None:
    cron = await operator.cron("mine", schedule=NEVER_SOON)
    for cron_id in (cron.cron_id, "no id at all", None):
        with pytest.raises(ConflictError, match="says that it is a cron's and is not"):
            await operator.server.client.runs.create(
                None,
                "slow",
                input={"key": "x", "seconds": 0},
                metadata={STARTED: {"cron_id": cron_id, "by": "eve"}},
            )
    assert await operator.ticks("mine") == []


async def test_pausing_keeps_why_and_resuming_never_fires_for_the_past(operator: Operator) -> None:
    name = operator.key("paused")
    await operator.cron("paused")
    await operator.until("paused", lambda ticks: outcomes(ticks))
    [paused] = await operating.pause(
        operator.server, operator.connections, name, reason="ticket 71", by="ann"
    )
    assert paused.paused is not None
    assert (paused.enabled, paused.paused["reason"], paused.paused["by"]) == (False, "ticket 71", "ann")
    stopped = datetime.now(UTC)
    await past(paused.next_run_at)  # enabling alone would now fire for it at once
    before = await operator.ticks("paused")
    assert all(tick.at <= stopped + timedelta(seconds=2) for tick in before)
    resumed = await operating.resume(operator.server, name)
    went_on = datetime.now(UTC)
    assert resumed.enabled and resumed.metadata.get(PAUSED) is None and resumed.next_run_at is not None
    assert datetime.fromisoformat(resumed.next_run_at) > went_on - timedelta(seconds=1)
    ticks = await operator.until("paused", lambda ticks: len(ticks) > len(before))
    later = [tick for tick in ticks if tick.id > before[-1].id]
    assert all(tick.planned_at and tick.planned_at >= went_on - timedelta(seconds=1) for tick in later)
    with pytest.raises(CronError, match="is not paused"):
        await operating.resume(operator.server, name)


async def test_a_cron_that_its_file_switched_off_is_not_started_by_pause_and_resume(
    operator: Operator,
) -> None:
    await operator.cron("off", schedule=NEVER_SOON, enabled=False)
    name = operator.key("off")
    for reason in ("ticket 71", "ticket 72"):  # the second pause does not forget it
        [paused] = await operating.pause(operator.server, operator.connections, name, reason=reason, by="ann")
    assert paused.stopped and not paused.content("failing").enabled  # what adopt would write
    resumed = await operating.resume(operator.server, name)
    assert (resumed.enabled, resumed.paused) == (False, None)
    with pytest.raises(CronError, match="off because its file says so"):
        await operating.resume(operator.server, name)
    await operator.cron("on", schedule=NEVER_SOON)
    for _ in range(2):
        [paused] = await operating.pause(
            operator.server, operator.connections, operator.key("on"), reason="r", by="ann"
        )
    assert paused.content("failing").enabled
    assert (await operating.resume(operator.server, operator.key("on"))).enabled


@pytest.mark.parametrize("crons_on", ["dev"], indirect=True)
async def test_the_trap_is_real(operator: Operator) -> None:
    """Enabled again by itself, the stock server fires at once for a date that is long past."""
    cron = await operator.cron("trap")
    stopped = await operator.server.gateway.patch_cron(cron.cron_id, enabled=False)
    await past(stopped.next_run_at)
    after = await operator.server.gateway.patch_cron(cron.cron_id, enabled=True)
    assert after.next_run_at is not None and datetime.fromisoformat(after.next_run_at) < datetime.now(UTC)


async def test_pausing_gives_up_the_slot_that_waits(operator: Operator) -> None:
    await operator.cron("gives-up", "plain", thread=operator.key("gives-up"), overlap="queue")
    await operator.until("gives-up", lambda ticks: "queued" in outcomes(ticks))
    await operating.pause(
        operator.server, operator.connections, operator.key("gives-up"), reason="later", by="ann"
    )
    ticks = await operator.ticks("gives-up")
    assert "queued" not in outcomes(ticks)
    assert "ann paused the cron: later" in {tick.reason for tick in ticks}


async def test_deleting_assistant_or_thread_leaves_nothing_half_alive(operator: Operator) -> None:
    name = operator.key("homeless")
    await operator.cron("bereft", "slow", NEVER_SOON, thread=operator.key("bereft"))
    homeless = await operator.cron("homeless", "plain", thread=name, overlap="queue")
    await operator.until("homeless", lambda ticks: "queued" in outcomes(ticks))
    await operator.server.client.assistants.delete(assistant_id("slow"))
    await operator.server.delete_thread(str(homeless.thread_id))
    assert not [
        cron for cron in await operator.server.gateway.crons() if cron.name.startswith(operator.prefix)
    ]
    findings = await doctor.examine(operator.server, operator.connections)
    own = [finding for finding in findings if finding.cron.startswith(f"{operator.prefix}-")]
    assert [(finding.kind, finding.cron) for finding in own] == [("orphaned_turn", name)]
    assert await doctor.mend(operator.server, operator.connections, own) == own
    ticks = await operator.ticks("homeless")
    assert "its cron is gone" in {tick.reason for tick in ticks} and "queued" not in outcomes(ticks)
    with pytest.raises(NoSuchCron):
        await operating.run_now(operator.server, name, by="ann")


async def test_retention_leaves_threads_that_wait(operator: Operator) -> None:
    await operator.cron("keeps", schedule=NEVER_SOON, keep_days=7)
    await operator.cron("asks-on", "plain", NEVER_SOON, keep_days=7)
    done = await operating.run_now(operator.server, operator.key("keeps"), by="ann")
    asks = await operating.run_now(operator.server, operator.key("asks-on"), by="ann")
    await operator.until("keeps", lambda ticks: outcomes(ticks) == ["success"])
    await operator.until("asks-on", lambda ticks: outcomes(ticks) == ["waiting"])
    assert done.thread_id not in await prune(operator.server, operator.connections)
    in_a_week = datetime.now(UTC) + timedelta(days=7, seconds=1)
    gone = await prune(operator.server, operator.connections, in_a_week)
    assert done.thread_id in gone and asks.thread_id not in gone
    there = [thread async for thread in operator.server.existing_threads([done.thread_id, asks.thread_id])]
    assert there == [asks.thread_id]
    [tick] = await operator.ticks("keeps")
    assert tick.pruned_at is not None
    assert await prune(operator.server, operator.connections, in_a_week) == []


@pytest.mark.parametrize("crons_on", ["dev"], indirect=True)
async def test_skipped_slots_are_a_plain_line_in_the_log(
    operator: Operator, served_crons: AgentServer
) -> None:
    await operator.cron("quiet", "plain", thread=operator.key("quiet"))
    await operator.until("quiet", lambda ticks: "skipped" in outcomes(ticks))
    said = [
        line for line in served_crons.log.splitlines() if f"cron {operator.key('quiet')}: skipped" in line
    ]
    assert said and all("[info" in line for line in said)
    assert "Error scheduling cron run" not in served_crons.log


async def test_the_worker_settles_and_gives_turns(operator: Operator, cron_database: str) -> None:
    cron = await operator.cron("worked", "plain", thread=operator.key("worked"), overlap="queue")
    ticks = came(await operator.until("worked", lambda ticks: "queued" in outcomes(ticks)))
    waits = next(tick for tick in ticks if tick.outcome == "queued")
    await operator.server.gateway.patch_cron(cron.cron_id, schedule=NEVER_SOON)
    stop = asyncio.Event()
    async with open_pool(cron_database, max_size=2) as pool:
        desk = Desk(pool, operator.server.threads, OneGroup(), "test")
        working = asyncio.create_task(worker.run(desk, stop))
        await operator.answer(str(ticks[0].thread_id))
        turn = await recorded_until(operator, waits.id, lambda tick: tick.outcome == "waiting")
        first = await recorded_until(operator, ticks[0].id, lambda tick: tick.outcome == "success")
        stop.set()
        await working
    assert turn.run_id and turn.planned_at == waits.planned_at and first.ended_at


class Unreadable:
    """The served crons, where one thread can't be read."""

    def __init__(self, server: CronServer, thread_id: str) -> None:
        self._server, self._thread_id = server, thread_id

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server, name)

    async def read(self, thread_id: str, run_ids: Iterable[str] = ()) -> Any:
        if thread_id == self._thread_id:
            raise ServerRefused(f"thread {thread_id}: its graph does not load", 500)
        return await self._server.read(thread_id, run_ids)


async def test_a_thread_that_can_not_be_read_hides_nothing_else(operator: Operator) -> None:
    for name in ("torn", "whole"):
        await operator.cron(name, "plain", NEVER_SOON, thread=operator.key(name))
    torn = await operating.run_now(operator.server, operator.key("torn"), by="ann")
    await operating.run_now(operator.server, operator.key("whole"), by="ann")
    server: Any = Unreadable(operator.server, torn.thread_id)
    at_hand = desk.CronDesk(server, operator.connections)

    async def rows() -> dict[str, Any]:
        return {row["name"]: row["last"] for row in await desk.overview(at_hand)}

    async with asyncio.timeout(30):
        while (await rows())[operator.key("whole")]["outcome"] != "waiting":  # noqa: ASYNC110
            await asyncio.sleep(0.2)  # between two looks at the state that is waited for
    last = (await rows())[operator.key("torn")]
    assert last["outcome"] in ("running", "waiting") and "its graph does not load" in last["stale"]
    page = await desk.recorded(at_hand, operator.key("torn"))
    assert len(page.ticks) == 1 and page.stale and "what is open may have ended" in page.stale
    page = await desk.recorded(at_hand, operator.key("whole"))
    assert ([tick.outcome for tick in page.ticks], page.stale) == (["waiting"], None)
    findings, _ = await desk.check(at_hand, 3, fix=False)
    assert operator.key("torn") not in {finding.cron for finding in findings}


async def recorded_until(operator: Operator, tick_id: int, true: Callable[[Tick], bool]) -> Tick:
    """The tick as the worker recorded it, not looked at by this test."""
    async with asyncio.timeout(30):
        while True:
            async with operator.connections() as conn:
                tick = await history.get(conn, tick_id)
            if tick is not None and true(tick):
                return tick
            await asyncio.sleep(0.1)  # between two looks at the state that is waited for

"""Crons: next and last times, history by pages, pause with a reason, resume, run now; on a real server."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio

from stationmaster.console.pages.crons import one
from stationmaster.crons import history
from stationmaster.crons.model import policy_of
from stationmaster.reconcile import files
from stationmaster.reconcile.resources import Cron, ServedCron
from tests.stationmaster.console.pages.served.conftest import ANNA, Served, row_of, words

INPUT: Any = {"messages": [{"role": "user", "content": "How long does a refund take?"}]}
_made: list[str] = []


@pytest_asyncio.fixture(loop_scope="session", autouse=True)
async def without_what_was_made(place: Served) -> AsyncIterator[None]:
    yield
    while _made:
        await place.gateway.delete_cron(_made.pop())


async def scheduled(place: Served, **more: Any) -> ServedCron:
    assistant = await place.made()
    name = f"cron-of-{assistant.known_as}"
    given = {"schedule": "30 8 * * 1-5", "timezone": "Europe/London", "input": INPUT, **more}
    made = await place.gateway.create_cron(Cron(name, assistant.known_as, **given), ANNA)
    _made.append(made.cron_id)
    return made


async def ticks(place: Served, cron: ServedCron, count: int, outcome: Any = "success", **more: Any) -> None:
    start = datetime(2026, 11, 2, 8, 30, tzinfo=UTC)
    async with place.pool.connection() as conn:
        for day in range(count):
            at = start + timedelta(days=day)
            run = None if outcome == "skipped" else str(uuid4())
            await history.add(
                conn,
                cron,
                policy_of(cron),
                outcome,
                at=at + timedelta(seconds=90),
                planned_at=at,
                run_id=run,
                **more,
            )


async def test_the_list_says_next_and_last(place: Served):
    cron = await scheduled(place)
    await ticks(place, cron, 1, "skipped", reason="the run before waits for a person")
    async with place.person("reader") as rita:
        page = (await rita.get("/crons")).text
    told = row_of(page, f'href="/crons/{cron.name}"><strong>')
    assert "On" in told and "30 8 * * 1-5" in told and "Europe/London" in told and "08:30" in told
    assert "Skipped" in told
    assert "the run before waits for a person" in words(page)


async def test_pause_takes_a_reason_resume_fires_for_nothing_past(place: Served):
    cron = await scheduled(place)
    where = f"/crons/{cron.name}"
    async with place.person(name="pia.pauses") as pia:
        told = await pia.post(f"{where}/pause", data={"reason": "  "})
        assert told.status_code == 422 and "Say why" in told.text
        told = await pia.post(f"{where}/pause", data={"reason": "The provider is down"})
        page = words((await pia.get(told.headers["location"])).text)
        assert "Paused by pia.pauses: The provider is down" in page and "if it were on" in page
        listed = words((await pia.get("/crons")).text)
        assert "The provider is down paused by pia.pauses" in listed
        again = await pia.post(f"{where}/resume")
        assert "Resumed" in (await pia.get(again.headers["location"])).text
        refused = await pia.post(f"{where}/resume")
        assert refused.status_code == 409 and "is not paused" in refused.text
    (now,) = await place.gateway.crons_named(cron.name)
    assert now.enabled and now.paused is None and now.next_run_at is not None
    assert datetime.fromisoformat(now.next_run_at).replace(tzinfo=UTC) > datetime.now(UTC)


async def test_run_now_is_a_run_in_the_history(place: Served):
    cron = await scheduled(place)
    where = f"/crons/{cron.name}"
    async with place.person(name="pia.runs") as pia:
        told = await pia.post(f"{where}/run")
        assert told.headers["location"] == f"{where}?done=ran"
        page = (await pia.get(told.headers["location"])).text
        assert "out of turn" in page and "by pia.runs" in page
        async with place.pool.connection() as conn:
            (tick,) = await history.page(conn, cron.name)
        assert tick.thread_id or tick.run_id
        runs = await place.client.threads.search(metadata={"cron_tick": tick.id}, limit=10)
        await place.client.runs.join(runs[0]["thread_id"], str(tick.run_id))
        after = words((await pia.get(where)).text)
        assert "Done" in after


async def test_history_by_pages(place: Served, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(one, "PAGE_SIZE", 3)
    cron = await scheduled(place)
    await ticks(place, cron, 7)
    where = f"/crons/{cron.name}"
    async with place.person("reader") as rita:
        for expected in (3, 3, 1):
            page = (await rita.get(where)).text
            assert page.count("Done</span>") == expected
            where = page.partition('rel="next"')[0].rpartition('href="')[2].partition("#")[0]
    assert "1 min late" in page


async def test_why_a_run_failed_is_for_editors_and_leads(place: Served):
    cron = await scheduled(place)
    await ticks(place, cron, 1, "error", reason="ValueError: the customer's name")
    for role, told in (("reader", False), ("reviewer", False), ("lead", True), ("editor", True)):
        async with place.person(role) as viewer:
            for path in (f"/crons/{cron.name}", "/crons"):
                page = (await viewer.get(path)).text
                assert ("the customer&#39;s name" in page) == told, (role, path)


async def test_the_file_says_what_the_cron_says(place: Served, file_places: tuple[Path, Path]):
    cron = await scheduled(place, overlap="queue", keep_days=3, thread="ledger", review={"due": "4h"})
    async with place.person("reader") as rita:
        file = await rita.get(f"/crons/{cron.name}/file")
        assistant = await rita.get(f"/assistants/{cron.assistant_id}/file")
    (file_places[0] / "a.yaml").write_text(assistant.text)
    (file_places[1] / "c.yaml").write_text(file.text)
    (desired,) = files.read(*file_places).desired().crons
    assert desired == cron.content(desired.assistant) and desired.assistant_id == cron.assistant_id


async def test_a_cron_that_is_gone_keeps_its_history_and_a_foreign_one_has_no_file(place: Served):
    cron = await scheduled(place)
    await ticks(place, cron, 1)
    await place.gateway.delete_cron(cron.cron_id)
    made: Any = await place.client.crons.create(cron.assistant_id, schedule="0 0 1 1 *", input=INPUT)
    foreign = next(each for each in await place.gateway.crons() if not each.owned)
    _made.append(foreign.cron_id)
    assert made
    async with place.person() as pia:
        gone = words((await pia.get(f"/crons/{cron.name}")).text)
        assert "The server has no such cron any more" in gone and "Done" in gone
        assert "Made elsewhere" in (await pia.get(f"/crons/{foreign.cron_id}")).text
        assert (await pia.get(f"/crons/{foreign.cron_id}/file")).status_code == 409
        assert (await pia.get("/crons/never-was")).status_code == 404
        assert (await pia.post("/crons/never-was/run")).status_code == 404

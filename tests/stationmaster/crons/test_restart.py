"""Over a `kill -9`, with which the stock server forgets up to ten seconds and comes back to slots that it had run."""

import asyncio
from pathlib import Path

import pytest

from stationmaster.crons.server import CronServer
from stationmaster.crons.worker import pooled
from stationmaster.reconcile.resources import Assistant
from stationmaster.reviews.database import open_pool
from tests.fakes.graphs import ledger
from tests.stationmaster.crons.operator import BY, Operator, outcomes
from tests.stationmaster.crons.serving import cron_server

pytestmark = pytest.mark.slow  # waits until the server has saved its state, and starts it twice


@pytest.mark.parametrize("durable", [False, True])
async def test_no_slot_runs_twice(database: str, tmp_path: Path, *, durable: bool) -> None:
    """The durable runtime loses none either: each run that a slot got comes to its end by itself."""
    server = cron_server(tmp_path, database, durable=durable)
    try:
        await server.start()
        async with open_pool(database, max_size=2) as pool, server.sdk() as client:
            operator = Operator(CronServer(client, server.url), pooled(pool), "restart")
            await operator.server.gateway.create_assistant(Assistant("failing", "failing"), BY)
            await operator.cron("steady")
            if not durable:
                await saved(tmp_path)
            before = await operator.until("steady", lambda ticks: len(ticks) >= 3)
            await operator.until("steady", lambda ticks: len(ticks) >= len(before) + 3)
            await server.sigkill()
            await server.start()
            last = (await operator.ticks("steady"))[-1].id
            ticks = await operator.until("steady", lambda ticks: sum(tick.id > last for tick in ticks) >= 3)
        planned = [tick.planned_at for tick in ticks if tick.outcome != "lost"]
        assert len(set(planned)) == len(planned)
        assert set(outcomes(ticks)) <= {"success", "running", "lost", "missed", "skipped"}
        assert not (durable and "lost" in outcomes(ticks))
        # One effect a run; one that the kill cut off may have had its effect and been lost before it was known.
        runs = [tick for tick in ticks if tick.run_id]
        cut_off = 1 + outcomes(ticks).count("lost")
        assert len(ledger.read(database, "restart-steady")) <= len(runs) + cut_off
    finally:
        server.kill_blocking()


async def saved(directory: Path) -> None:
    """Until the server has written its state once more."""
    path = directory / ".langgraph_api" / ".langgraph_ops.pckl"
    before = path.stat().st_mtime if path.exists() else 0.0
    async with asyncio.timeout(30):
        while not path.exists() or path.stat().st_mtime == before:  # noqa: ASYNC110 - a file of another process
            await asyncio.sleep(0.2)

"""Ten replicas' worth of the stock server's schedulers on one database: a run for each slot, and one only."""

import asyncio
import subprocess
import sys
from uuid import uuid4

from stationmaster.server.stock import read_project, stock_environment
from tests.fakes.agent_server import ROOT, clean_environment
from tests.fakes.community_server import PROJECT
from tests.langgraph_runtime_community.world import World

SCHEDULERS, PROCESSES, SLOTS = 10, 2, 200
ASSISTANT = str(uuid4())
MAKE_ASSISTANT = """
    WITH made AS (
        INSERT INTO server.assistants (assistant_id, graph_id, name, version) VALUES (%s, 'any', 'any', 1) RETURNING *
    )
    INSERT INTO server.assistant_versions (assistant_id, version, graph_id, name, config, context, metadata)
    SELECT assistant_id, version, graph_id, name, config, context, metadata FROM made
"""
MAKE_CRONS = """
    INSERT INTO server.crons (cron_id, assistant_id, on_run_completed, schedule, payload, next_run_date)
    SELECT id, %s, 'keep', '0 0 1 1 *', jsonb_build_object(
        'assistant_id', %s::text, 'input', '{}'::jsonb,
        'config', jsonb_build_object('configurable', jsonb_build_object('cron_id', id))
    ), now() - interval '1 second'
    FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, %s)) ids
"""
LEFT = "SELECT 1 FROM server.crons WHERE next_run_date < now()"


def spawn(uri: str, count: int) -> "subprocess.Popen[bytes]":
    stock = stock_environment(
        read_project(PROJECT), url="http://127.0.0.1:1", jobs=1, edition="community", database_uri=uri
    )
    env = {**stock, "PYTHONPATH": str(ROOT), "CRON_SCHEDULER_SLEEP_TIME": "1"}
    module = "tests.langgraph_runtime_community.served.schedulers"
    return subprocess.Popen([sys.executable, "-m", module, str(count)], cwd=ROOT, env=clean_environment(env))


async def test_two_hundred_slots_are_two_hundred_runs(runtime: str) -> None:
    world = World(runtime)
    world.change(MAKE_ASSISTANT, ASSISTANT)
    world.change(MAKE_CRONS, ASSISTANT, ASSISTANT, SLOTS)
    processes = [spawn(runtime, SCHEDULERS // PROCESSES) for _ in range(PROCESSES)]
    try:
        await world.until(lambda: not world.ask(LEFT), "all slots are used")
        await asyncio.sleep(1.5)  # another round of each scheduler
        assert all(each.poll() is None for each in processes)
    finally:
        for each in processes:
            each.kill()
            each.wait(10)
    runs = {row["run_id"] for row in world.ask("SELECT run_id FROM server.runs")}
    used = world.ask("SELECT cron_id, run_id FROM server.cron_slots")
    assert len(used) == len({slot["cron_id"] for slot in used}) == len(runs) == SLOTS
    assert runs == {slot["run_id"] for slot in used}

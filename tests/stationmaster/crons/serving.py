"""`langgraph dev` with the project's own auth and app around graphs that ask, take their time, or fail."""

import json
from pathlib import Path

from tests.fakes.agent_server import CONFIG, ROOT, AgentServer
from tests.fakes.graphs import ledger

GRAPHS = {
    "plain": "tests.fakes.graphs.plain:graph",
    "slow": "tests.fakes.graphs.slow:graph",
    "failing": "tests.stationmaster.crons.failing:graph",
}


def cron_server(directory: Path, database: str) -> AgentServer:
    """Not started yet. Its scheduler looks every second; effects go to table `ledger` of the same database."""
    ledger.create(database)
    config = json.loads(CONFIG.read_text())
    config["graphs"] = GRAPHS
    path = directory / "langgraph.json"
    path.write_text(json.dumps(config))
    env = {
        "STATIONMASTER_DATABASE_URI": database, ledger.VARIABLE: database, "PYTHONPATH": str(ROOT),
        "CRON_SCHEDULER_SLEEP_TIME": "1",
    }  # fmt: skip
    return AgentServer(directory, env=env, config=path)

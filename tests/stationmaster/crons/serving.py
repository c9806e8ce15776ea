"""A server with the project's own auth and app around graphs that ask, take their time, or fail."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.fakes.agent_server import CONFIG, ROOT, AgentServer
from tests.fakes.community_server import CommunityServer
from tests.fakes.graphs import ledger

GRAPHS = {
    "plain": "tests.fakes.graphs.plain:graph",
    "slow": "tests.fakes.graphs.slow:graph",
    "failing": "tests.stationmaster.crons.failing:graph",
}


@dataclass(frozen=True)
class Serving:
    """A server that is up, and the database with its crons' history."""

    server: AgentServer
    database: str


def serving(server: AgentServer, database: str) -> Iterator[Serving]:
    """Start it, and stop it afterwards."""
    server.start_blocking()
    yield Serving(server, database)
    server.stop_blocking(9)


def cron_server(directory: Path, database: str, *, durable: bool = False) -> AgentServer:
    """`langgraph dev`, or our own runtime, not started yet.

    Its scheduler looks every second; effects go to table `ledger` of the same database.
    """
    ledger.create(database)
    config = json.loads(CONFIG.read_text())
    config["graphs"] = GRAPHS
    path = directory / "langgraph.json"
    path.write_text(json.dumps(config))
    env = {
        "STATIONMASTER_DATABASE_URI": database, ledger.VARIABLE: database, "PYTHONPATH": str(ROOT),
        "CRON_SCHEDULER_SLEEP_TIME": "1",
    }  # fmt: skip
    if durable:
        return CommunityServer(directory, env=env, config=path, database=database)
    return AgentServer(directory, env=env, config=path)

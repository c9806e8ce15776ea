"""The stock server on our own runtime: to be called, stopped, killed, run twice on one database."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from stationmaster.processes.connections import KEEP_ALIVE_S
from stationmaster.server.stock import read_project, stock_environment
from tests.fakes.agent_server import ROOT, AgentServer, clean_environment

APP = "langgraph_runtime_community.idempotency:create_app"
PROJECT = Path(__file__).parents[1] / "langgraph_runtime_community" / "served" / "langgraph.json"


@dataclass
class CommunityServer(AgentServer):
    """Any number of them may share `database`. Their clock is faster than the default: a lease of two seconds."""

    config: Path = PROJECT
    database: str = ""
    clock: dict[str, str] = field(default_factory=lambda: {"LEASE_S": "2", "POLL_S": "0.5", "DRAIN_S": "2"})

    def spawn(self) -> subprocess.Popen[bytes]:
        """Start the process without waiting for it to be ready."""
        self.directory.mkdir(parents=True, exist_ok=True)
        project = read_project(self.config.parent)
        stock = stock_environment(
            project, url=self.url, jobs=self.jobs, edition="community", database_uri=self.database
        )
        clock = {f"COMMUNITY_RUNTIME_{name}": value for name, value in self.clock.items()}
        paths = os.pathsep.join([str(ROOT), *project.import_paths])
        ours = {
            "STATIONMASTER_DATA_DIR": str(self.directory / "data"),
            "PYTHONPATH": paths,
            "LOG_LEVEL": "info",
        }
        command = [
            sys.executable, "-m", "uvicorn", "--factory", APP, "--host", self.host, "--port",
            str(self.port), "--no-access-log", "--timeout-graceful-shutdown", "2",
            "--timeout-keep-alive", str(KEEP_ALIVE_S),
        ]  # fmt: skip
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                command,
                cwd=self.directory,
                env=clean_environment({**stock, **ours, **clock, **self.env}),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
            )
        return self.process

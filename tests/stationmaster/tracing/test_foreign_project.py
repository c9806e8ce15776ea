"""A project that has an app of its own, none of ours: `serve` traces its runs as well, and delivers at its end."""

import signal
import subprocess
from pathlib import Path

import pytest
from langgraph_sdk import get_sync_client

from tests.fakes.agent_server import clean_environment, free_port
from tests.fakes.collector import Collector, drawn
from tests.stationmaster.cli.running import COMMAND, LAST_LINE, eventually
from tests.stationmaster.server.foreign import foreign_project


@pytest.mark.slow
def test_what_is_nobodys_but_theirs_is_traced_too(tmp_path: Path, database: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    config, port, log = foreign_project(project, "bot.json"), free_port(), tmp_path / "serve.log"
    with Collector.running() as collector, log.open("wb") as output:
        env = {
            "STATIONMASTER_DATABASE_URI": database, "OTEL_EXPORTER_OTLP_ENDPOINT": collector.url,
            "OTEL_BSP_SCHEDULE_DELAY": "60000",
        }  # fmt: skip
        process = subprocess.Popen(
            [*COMMAND, "serve", "--config", str(config), "--port", str(port)],
            stdout=output, stderr=output, cwd=tmp_path, env=clean_environment(env),
        )  # fmt: skip
        try:
            eventually(lambda: LAST_LINE in log.read_text() or process.poll() is not None, "ready", 120)
            with get_sync_client(url=f"http://127.0.0.1:{port}", headers={"x-name": "ann"}) as ann:
                thread = ann.threads.create()["thread_id"]
                ann.runs.wait(thread, "bot", input={"name": "Ann"})
            process.send_signal(signal.SIGTERM)
            assert process.wait(40) == 0
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
        assert drawn(collector.spans) == ["invoke_agent bot", "  greet"]
        assert {span.attributes["langgraph.thread_id"] for span in collector.spans} == {thread}
        assert b"Ann" not in collector.raw

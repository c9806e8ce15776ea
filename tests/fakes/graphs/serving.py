"""Starts `langgraph dev` with the interrupting graphs, writing to a ledger of the test's choice."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from tests.fakes.agent_server import ROOT, AgentServer
from tests.fakes.graphs import ledger

CONFIG = Path(__file__).with_name("langgraph.json")


def interrupting_server(
    directory: Path, ledger_uri: str, *, env: Mapping[str, str] | None = None, jobs: int = 10
) -> AgentServer:
    """A server of the graphs that is not started yet; its effects go to table `ledger` of `ledger_uri`."""
    ledger.create(ledger_uri)
    settings = {ledger.VARIABLE: ledger_uri, "PYTHONPATH": str(ROOT), **(env or {})}
    return AgentServer(directory, env=settings, jobs=jobs, config=CONFIG)


@asynccontextmanager
async def interrupting(
    directory: Path, ledger_uri: str, *, env: Mapping[str, str] | None = None
) -> AsyncIterator[AgentServer]:
    """The same, running; killed at the end, whatever became of it in between."""
    server = interrupting_server(directory, ledger_uri, env=env)
    try:
        await server.start()
        yield server
    finally:
        server.kill_blocking()

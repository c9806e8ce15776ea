"""One server and two consoles for all tests that end neither; whoever kills has its own."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.conftest import clone
from tests.fakes.agent_server import AgentServer, free_port
from tests.fakes.console import ConsoleProcess
from tests.reviews_hold.world import World, asking_server, console_for

_numbers = count(1)


@pytest.fixture(scope="session")
def effects(server: str, migrated_template: str) -> Iterator[str]:
    """The database in which the graphs note what they did."""
    yield from clone(server, migrated_template, "hold_effects")


@pytest.fixture(scope="session")
def hook_port() -> int:
    """Where the shared server's webhooks go."""
    return free_port()


@pytest.fixture(scope="session")
def shared_server(
    effects: str, hook_port: int, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[AgentServer]:
    hooks = f"http://127.0.0.1:{hook_port}/webhooks/langgraph"
    server = asking_server(tmp_path_factory.mktemp("server"), effects, hooks)
    server.start_blocking()
    yield server
    server.kill_blocking()


@pytest.fixture(scope="session")
def shared_consoles(
    server: str,
    migrated_template: str,
    shared_server: AgentServer,
    hook_port: int,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[list[ConsoleProcess]]:
    """Two on one database; the first gets the webhooks."""
    directory = tmp_path_factory.mktemp("consoles")
    for database in clone(server, migrated_template, "hold_reviews"):
        first = console_for(shared_server.url, database, directory / "first", port=hook_port)
        second = console_for(shared_server.url, database, directory / "second")
        pair = [first, second]
        try:
            for console in [console.spawn() for console in pair]:
                console.ready()
            yield pair
        finally:
            for console in pair:
                console.kill()


@pytest.fixture
def world(shared_server: AgentServer, shared_consoles: list[ConsoleProcess], effects: str) -> World:
    return World(shared_server, shared_consoles, effects)


@pytest.fixture
def own_console(shared_server: AgentServer, database: str, tmp_path: Path) -> Iterator[ConsoleProcess]:
    """For the shared server, on a database of this test's own, and not started: it may be killed."""
    console = console_for(shared_server.url, database, tmp_path / "console")
    yield console
    console.kill()


@pytest.fixture
def own_world(database: str, tmp_path: Path) -> Iterator[World]:
    """A server whose webhooks go to one console, neither of them started: both may be killed."""
    port = free_port()
    (tmp_path / "server").mkdir()
    server = asking_server(tmp_path / "server", database, f"http://127.0.0.1:{port}/webhooks/langgraph")
    console = console_for(server.url, database, tmp_path / "console", port=port)
    yield World(server, [console], database)
    console.kill()
    server.kill_blocking()

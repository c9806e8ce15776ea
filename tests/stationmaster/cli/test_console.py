"""`stationmaster console` alone: for LangChain's own `langgraph dev`, without webhooks; and what it refuses."""

import asyncio
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.agent_server import free_port
from tests.fakes.console import ConsoleProcess
from tests.fakes.graphs import ledger
from tests.fakes.graphs.serving import interrupting
from tests.stationmaster.cli.running import in_process, stationmaster


@pytest.fixture
def console(database: str, tmp_path: Path) -> Iterator[ConsoleProcess]:
    """A console that is not started, for a server that is not there."""
    made = ConsoleProcess(tmp_path / "console", f"http://127.0.0.1:{free_port()}", database)
    yield made
    made.kill()


async def test_langchains_own_server_without_webhooks(
    console: ConsoleProcess, database: str, tmp_path: Path
) -> None:
    async with interrupting(tmp_path / "dev", database) as dev, dev.sdk() as client:
        console.api_url = dev.url
        await asyncio.to_thread(console.start)
        assert f"  for       {dev.url}\n" in console.said
        assert "plain" in console.said
        thread = await client.threads.create()
        await client.runs.wait(thread["thread_id"], "plain", input={"key": "k", "question": "Shall we?"})
        review = await console.review(thread["thread_id"])  # by the sweep
        done = await asyncio.to_thread(decide, console, review["id"])
        assert done.returncode == 0, done.stderr
        assert ledger.read(database, "k") == [("answered", {"ok": True})]
    assert await asyncio.to_thread(console.stop, 2) == 0  # Ctrl-C
    assert console.said.endswith("stopped\n")
    assert "Traceback" not in console.said
    assert not (console.data_dir / "console.json").exists()


def decide(console: ConsoleProcess, review_id: str) -> subprocess.CompletedProcess[str]:
    options = ("--answer", '{"ok": true}', "--data-dir", str(console.data_dir))
    return in_process("reviews", "decide", review_id, *options, cwd=console.data_dir)


def test_it_starts_before_its_server_does(console: ConsoleProcess) -> None:
    console.start()
    assert "unknown for now" in console.said
    assert console.stop() == 0


def test_beyond_this_machine_it_wants_users_and_the_webhooks_secret(
    console: ConsoleProcess, tmp_path: Path
) -> None:
    console.arguments = ("--host", "0.0.0.0")
    assert console.spawn().stop(0) == 2
    assert "no user who could sign in" in console.said
    assert "stationmaster users add" in console.said
    env = {"STATIONMASTER_DATABASE_URI": console.database}
    assert in_process("users", "add", "ann", "--no-password", cwd=tmp_path, env=env).returncode == 0
    assert console.spawn().stop(0) == 2
    assert "LG_WEBHOOK_SECRET" in console.said
    assert console.said.count("\n") == 1
    console.env = {"LG_WEBHOOK_SECRET": "a-secret-of-the-tests"}
    console.start()
    assert "a-secret-of-the-tests" not in console.said


def test_without_a_server_named_or_running_it_says_so(tmp_path: Path) -> None:
    done = stationmaster("console", cwd=tmp_path)
    assert done.returncode == 2
    assert "stationmaster up" in done.stderr
    assert "--api-url" in done.stderr

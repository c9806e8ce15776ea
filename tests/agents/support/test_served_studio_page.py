"""docs/studio.md is run as it stands there: on the shared `langgraph dev`, and (slow) on a `stationmaster up`."""

import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest

from stationmaster.server.policy import STUDIO_ORIGIN
from tests.fakes.agent_server import CONFIG, ROOT, AgentServer
from tests.fakes.shop import Ledger
from tests.stationmaster.cli.running import Up
from tests.stationmaster.docs.fenced import Block, blocks, commands, run_python

PAGE = "studio.md"
URL, ORDER, TICKET = "http://127.0.0.1:2024", "88123", "T-studio"


async def run_page(changed: Mapping[str, str], capsys: pytest.CaptureFixture[str]) -> list[str]:
    """All Python of the page in one namespace, as somebody who reads it from the top; what it printed."""
    names: dict[str, Any] = {}
    try:
        for block in blocks(PAGE, "python"):
            await run_python(block, names, changed)
    finally:
        if "client" in names:
            await names["client"].aclose()
    return capsys.readouterr().out.splitlines()


def said(lines: list[str]) -> None:
    """What the page promises is what came."""
    assert lines[0].endswith("input: ticket_id, messages") or "ticket_id" in lines[0]
    assert lines[1] == "stopped before ['check_return_policy', 'lookup_order'] with the intent refund"
    assert lines[2] == "the outcome is human"
    assert lines[3].startswith("this time: refund") and "Refund $640.00" in lines[3]
    assert lines[4] == "the fork: question"
    assert "'approval_threshold_usd': 50" in lines[5] and "(1, {'approval_threshold_usd': 100})" in lines[5]


async def test_every_block_of_the_page_runs(
    served: AgentServer,
    order_of: Callable[..., str],
    ticket: str,
    ledger: Ledger,
    capsys: pytest.CaptureFixture[str],
) -> None:
    said(await run_page({URL: served.url, ORDER: order_of(640), TICKET: ticket}, capsys))
    assert not ledger.refunds(ticket)


def test_the_page_has_no_block_that_nobody_runs() -> None:
    found = blocks(PAGE, "sh", "http", "python", "console", "bash", "json", "")
    assert [block.kind for block in found if block.kind != "python"] == ["sh", "sh", "http"]


def test_what_the_page_starts_for_working_on_graphs_is_what_these_tests_run_on() -> None:
    """`langgraph dev`, with Studio let in."""
    (command,) = commands(blocks(PAGE, "sh")[0])
    done = subprocess.run([*command.split(), "-n"], cwd=ROOT, capture_output=True, text=True, check=True)
    assert "langgraph dev" in done.stdout and "STATIONMASTER_STUDIO:-true" in done.stdout


def request_of(block: Block, url: str) -> httpx.Request:
    """An HTTP block as a request."""
    first, *rest = block.code.splitlines()
    method, path, _ = first.split()
    return httpx.Request(method, f"{url}{path}", headers=dict(line.split(": ", 1) for line in rest if line))


@pytest.mark.slow
async def test_the_page_on_a_deployment_that_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """By the page's own command, in a project of its own: with Studio let in."""
    (command,) = commands(blocks(PAGE, "sh")[1])
    variable, program, up = command.split()
    assert (program, up) == (".venv/bin/stationmaster", "up")
    name, value = variable.split("=")
    (tmp_path / "langgraph.json").write_text(CONFIG.read_text().replace('["."]', f'["{ROOT}"]'))
    started = Up(tmp_path, env={name: value}).start()
    try:
        assert "smith.langchain.com/studio" in started.banner
        async with httpx.AsyncClient(trust_env=False) as http:
            answer = await http.send(request_of(blocks(PAGE, "http")[0], started.url))
        assert answer.status_code == 200
        assert answer.headers["access-control-allow-origin"] == STUDIO_ORIGIN
        assert answer.headers["access-control-allow-private-network"] == "true"
        said(await run_page({URL: started.url}, capsys))
    finally:
        started.kill()

"""docs/operations.md is carried out as it stands there: in this process beside the shared server, and (slow) all of it
on a `stationmaster up` that is stopped, restored and started again.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from stationmaster.server.admission import admit
from stationmaster.server.policy import policy_from
from stationmaster.settings import Settings, load_settings
from stationmaster.tracing.destination import destination
from tests.fakes.agent_server import CONFIG, ROOT, AgentServer
from tests.stationmaster.cli.running import Up, in_process, stationmaster
from tests.stationmaster.docs.fenced import Block, blocks, commands

PAGE = "operations.md"
URL = "http://127.0.0.1:2024"
# What starts processes, imports all graphs, asks a console, or changes the shared server: the slow test's.
NOT_HERE = ("up", "apply", "check")
FOUND_SOMETHING = ("check",)
"""These say by exit code 1 that there was something to tell."""


def words(command: str, url: str) -> list[str]:
    """A command's arguments, with the address of this test's server."""
    program, *arguments = command.replace(URL, url).split()
    assert program == "stationmaster", command
    return arguments


def files_of_support(project: Path) -> None:
    """assistants/ with the file of one graph."""
    (project / "assistants").mkdir()
    for name in ("support.yaml", "schema.json"):
        (project / "assistants" / name).write_text((ROOT / "assistants" / name).read_text())


def all_commands() -> Iterator[tuple[str, str]]:
    """(`running`, `stopped` or nothing, the command) in the page's order."""
    for block in blocks(PAGE, "sh"):
        for command in commands(block):
            yield block.kind.removeprefix("sh").strip(), command


def test_the_commands_of_the_page(served: AgentServer, seeded_database: str, tmp_path: Path) -> None:
    """One after the other, on a database of this test's own; each ends with 0."""
    env = {
        "STATIONMASTER_API_URL": served.url, "STATIONMASTER_DATABASE_URI": seeded_database,
    }  # fmt: skip
    files_of_support(tmp_path)
    for first in (("db", "migrate"), ("users", "add", "admin", "--role", "admin", "--no-password")):
        assert in_process(*first, cwd=tmp_path, env=env).returncode == 0
    done = []
    for _, command in all_commands():
        arguments = words(command, served.url)
        if arguments[0] not in NOT_HERE:
            ended = in_process(*arguments, cwd=tmp_path, env=env)
            assert ended.returncode == 0, (command, ended.stdout, ended.stderr)
            done.append(command)
    assert len(done) == len(list(all_commands())) - 4 and len(done) > 12


def test_no_block_of_the_page_is_left_out() -> None:
    known = ("sh", "http", "ini")
    every = blocks(PAGE, *known, "", "console", "bash", "python", "json", "text")
    assert {block.kind.split(" ")[0] for block in every} == set(known)


def in_place(block: Block, monkeypatch: pytest.MonkeyPatch, directory: Path) -> Settings:
    """The settings, with a block of the page as `.env`."""
    monkeypatch.chdir(directory)
    (directory / ".env").write_text(block.code)
    return load_settings()


def request(**headers: str) -> dict[str, Any]:
    """An ASGI scope from elsewhere with these headers."""
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return {"headers": sent, "client": ("192.0.2.1", 1)}


def test_while_keys_are_rotated_both_are_let_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    keys, secrets, events, tracing = blocks(PAGE, "ini")
    policy = policy_from(in_place(keys, monkeypatch, tmp_path))
    assert admit(request(x_api_key="the-old-key-0123456789"), policy) == "shop"
    assert admit(request(x_api_key="the-new-key-0123456789"), policy) == "shop-2"
    both = in_place(secrets, monkeypatch, tmp_path)
    known = [
        secret.get_secret_value() for secret in (*both.webhook_secrets, *filter(None, [both.webhook_secret]))
    ]
    assert known == ["the-old-secret-0123456789", "the-new-secret-0123456789"]
    (receiver,) = in_place(events, monkeypatch, tmp_path).event_urls
    assert len(receiver.secrets) == 2
    to = destination(in_place(tracing, monkeypatch, tmp_path))
    assert to and (to.url, to.service) == ("http://127.0.0.1:4318/v1/traces", "agents-production")


def stop(up: Up) -> None:
    """As a service manager does it, with nothing left open."""
    code = up.stop()
    assert code == 0, (code, up.rest(), (up.data_dir / "server.log").read_text()[-2_000:])
    up.rest()


def paths() -> list[str]:
    return [block.code.split()[1] for block in blocks(PAGE, "http")]


@pytest.mark.parametrize("path", paths())
async def test_what_watches_a_server_is_answered(served: AgentServer, path: str) -> None:
    async with httpx.AsyncClient(base_url=served.url, trust_env=False) as http:
        assert (await http.get(path)).status_code == 200


def metrics_of_the_page() -> set[str]:
    text = (ROOT / "docs" / PAGE).read_text()
    rows = text.partition("| metric |")[2].partition("\n\n")[0]
    return {word for word in rows.replace("`", " ").split() if word.startswith(("stationmaster_", "lg_api_"))}


@pytest.mark.slow
@pytest.mark.timeout(1200)  # some forty commands, each a process
def test_the_whole_page_on_a_deployment_of_its_own(tmp_path: Path) -> None:
    """From the first start over an upgrade's check and a restore to the next start."""
    config = json.loads(CONFIG.read_text())
    (tmp_path / "langgraph.json").write_text(json.dumps({**config, "dependencies": [str(ROOT)]}))
    files_of_support(tmp_path)
    up = Up(tmp_path)
    running = False
    try:
        for state, command in all_commands():
            arguments = words(command, up.url)
            if arguments == ["up"] or (running and state == "stopped"):
                running = not running
                up.start() if running else stop(up)
            if arguments != ["up"]:
                if not running and state != "stopped":
                    up.start()
                    running = True
                ended = stationmaster(*arguments, cwd=tmp_path)
                fine = (0, 1) if arguments[0] in FOUND_SOMETHING else (0,)
                assert ended.returncode in fine, (command, ended.stdout, ended.stderr)
        assert [up.get(path).status_code for path in paths()] == [200] * len(paths())
        shown = up.get("/metrics").text
        assert [name for name in metrics_of_the_page() if name not in shown] == []
    finally:
        up.kill()

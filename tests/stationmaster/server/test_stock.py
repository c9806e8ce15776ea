"""langgraph.json under LangChain's own tools; what we hand the stock server, beside what `langgraph dev` does."""

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import uvicorn

from stationmaster.server.stock import BadProject, read_project, stock_environment
from tests.fakes.agent_server import CONFIG, ROOT, clean_environment

# The CLI's schema lags behind its server, which knows this key.
KNOWN_WARNINGS = {"allowed_fields"}


def langgraph(*arguments: str, cwd: Path = ROOT) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "langgraph_cli", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=clean_environment(), capture_output=True, text=True, timeout=60
    )


def test_langgraph_validate_passes_without_other_warnings_than_the_known() -> None:
    done = langgraph("validate")
    assert done.returncode == 0, done.stderr
    warned = {re.findall(r"'([^']+)'", line)[-1] for line in done.stdout.splitlines() if "warning:" in line}
    assert warned <= KNOWN_WARNINGS, done.stdout


def test_langgraph_dockerfile_hands_every_section_to_the_image(tmp_path: Path) -> None:
    done = langgraph("dockerfile", str(tmp_path / "Dockerfile"))
    assert done.returncode == 0, done.stderr
    dockerfile = (tmp_path / "Dockerfile").read_text()
    config = json.loads(CONFIG.read_text())
    handed = dict(re.findall(r"^ENV (\w+)='([^']*)'$", dockerfile, re.MULTILINE))
    assert json.loads(handed["LANGSERVE_GRAPHS"]) == config["graphs"]
    assert json.loads(handed["LANGGRAPH_HTTP"]) == config["http"]
    assert json.loads(handed["LANGGRAPH_AUTH"]) == config["auth"]
    assert json.loads(handed["LANGGRAPH_WEBHOOKS"]) == config["webhooks"]


def test_langgraph_json_holds_no_single_quote() -> None:
    # `langgraph dockerfile` puts the sections between single quotes without escaping them.
    assert "'" not in CONFIG.read_text()


def test_python_version_agrees_with_pyproject() -> None:
    required = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    assert f">={json.loads(CONFIG.read_text())['python_version']}" in required


def test_an_image_gets_no_secret_and_no_data() -> None:
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    assert {".env", ".git/", ".venv/", ".stationmaster/"} <= set(ignored)


def test_the_server_gets_what_langgraph_dev_hands_over(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Runs the stock `run_server` up to the point where it would serve, and compares the environments."""
    from langgraph_api import cli

    seen: dict[str, str] = {}
    monkeypatch.setattr(uvicorn, "run", lambda *_, **__: seen.update(os.environ))
    monkeypatch.setenv("LANGGRAPH_NO_VERSION_CHECK", "true")
    monkeypatch.setattr(cli, "_get_ls_origin", lambda: None)
    monkeypatch.setattr(cli, "_resolve_port", lambda host, port: port)
    before = dict(os.environ)
    config: dict[str, Any] = json.loads(CONFIG.read_text())
    cli.run_server(
        "127.0.0.1",
        2024,
        graphs=config["graphs"],
        n_jobs_per_worker=10,
        auth=config["auth"],
        http=config["http"],
        webhooks=config["webhooks"],
        env={},
    )
    theirs = {name: value for name, value in seen.items() if before.get(name) != value}
    ours = stock_environment(read_project(ROOT), url="http://127.0.0.1:2024", jobs=10, edition="inmem")
    assert theirs.pop("ALLOW_PRIVATE_NETWORK") == "true"  # we answer such preflights ourselves
    assert ours.pop("ALLOW_PRIVATE_NETWORK") == "false"
    assert ours == theirs


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "there is no langgraph.json"),
        ('{"graphs": {\n"a": }', "langgraph.json:2: "),
        ("[]", "names no graphs"),
        ('{"graphs": {}}', "names no graphs"),
        ("\xff", "langgraph.json"),
    ],
)
def test_a_bad_project_says_what_and_where(tmp_path: Path, text: str | None, reason: str) -> None:
    if text is not None:
        (tmp_path / "langgraph.json").write_bytes(text.encode("latin-1"))
    with pytest.raises(BadProject, match=reason):
        read_project(tmp_path)


def test_env_is_a_file_that_may_be_absent_or_a_mapping(tmp_path: Path) -> None:
    path = tmp_path / "langgraph.json"
    path.write_text('{"graphs": {"a": "b:c"}, "env": ".env", "dependencies": [".", "./absent", "httpx"]}')
    project = read_project(tmp_path)
    assert project.env() == {}
    assert project.import_paths == [str(tmp_path), str(tmp_path)]
    (tmp_path / ".env").write_text("A=1\nEMPTY=\nexport B='two words'\n")
    assert project.env() == {"A": "1", "B": "two words"}
    path.write_text('{"graphs": {"a": "b:c"}, "env": {"A": "1"}}')
    assert read_project(tmp_path).env() == {"A": "1"}

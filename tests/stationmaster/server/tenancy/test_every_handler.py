"""None of the auth handlers is there for nothing: without it, test_walls.py fails."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langgraph_sdk import Auth

from stationmaster.server.auth import anything_else, auth
from stationmaster.server.tenants import CONFINED
from tests.fakes.agent_server import ROOT, clean_environment

HERE = Path(__file__).parent
HANDLERS = [
    resource if action == "*" else f"{resource}.{action}"
    for resource, action in auth._handlers  # pyright: ignore[reportPrivateUsage]
]


@pytest.mark.slow
@pytest.mark.parametrize("handler", HANDLERS)
def test_without_it_a_wall_falls(handler: str, tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-x",
        "-q",
        "-p",
        "no:cacheprovider",
        "-k",
        "dev or not community",
    ]
    done = subprocess.run(
        [*command, "--basetemp", str(tmp_path / "in"), str(HERE / "test_walls.py")],
        cwd=ROOT,
        env=clean_environment({"WITHOUT_HANDLER": handler}),
        capture_output=True,
        text=True,
        timeout=170,
        check=False,
    )
    # Tests failed; 2 and above would be pytest's own trouble.
    assert done.returncode == 1, done.stdout + done.stderr
    assert "1 failed" in done.stdout or "1 error" in done.stdout, done.stdout


async def test_what_nobody_thought_of_is_the_operators() -> None:
    """A resource that a later server may bring: no tenant reaches it before somebody has decided."""

    def asking(*permissions: str) -> Auth.types.AuthContext:
        user: Any = {"identity": "x", "tenant": "acme"}
        return Auth.types.AuthContext(list(permissions), user, "threads", "read")

    assert await anything_else(asking(CONFINED), {}) is False
    assert await anything_else(asking(), {}) is None

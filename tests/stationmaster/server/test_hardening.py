"""Closed paths, in every spelling that some router might read as one of them."""

from typing import Any

import pytest

from stationmaster.server.hardening import is_closed


def scope(path: str, root_path: str = "") -> dict[str, Any]:
    return {"type": "http", "path": path, "root_path": root_path}


@pytest.mark.parametrize(
    "path",
    [
        "/internal/truncate",
        "/internal",
        "/internal/",
        "/internal/truncate/",
        "/internal/truncate/more",
        "//internal/truncate",
        "///internal//truncate",
        "/./internal/truncate",
        "/threads/../internal/truncate",
        "/INTERNAL/truncate",
        "/%69nternal/truncate",
        "/%2569nternal/truncate",
        "/internal%2Ftruncate",
        "/%2Finternal/truncate",
        "/\\internal\\truncate",
        "/deploy",
        "/deploy/",
        "/deploy/status",
        "/deployments",
        "/%64eploy",
    ],
)
def test_closed(path: str) -> None:
    assert is_closed(scope(path))
    assert is_closed(scope(f"/agents/v1{path}", root_path="/agents/v1"))


@pytest.mark.parametrize(
    "path", ["/", "/ok", "/threads", "/threads/internal", "/assistants/deploy", "/info", ""]
)
def test_open(path: str) -> None:
    assert not is_closed(scope(path))
    assert not is_closed(scope(f"/agents{path}", root_path="/agents"))


def test_the_servers_own_calls_are_no_way_round() -> None:
    assert is_closed(scope("/internal/truncate", root_path="/noauth"))

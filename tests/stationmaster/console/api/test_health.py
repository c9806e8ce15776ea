"""`/healthz`: ready means that answers reach their graphs, so it wants the workers as well as the database."""

from pathlib import Path

import httpx
import pytest

from tests.stationmaster.console.serving import anybody, listening, served, settings_for

POLICIES = Path(__file__).parents[4] / "webhooks/policies"


async def settled(http: httpx.AsyncClient, status: int) -> httpx.Response:
    """The answer, once it is this one; the test's own time limit ends the wait."""
    while (response := await http.get("/healthz")).status_code != status:
        pass
    return response


async def test_it_is_ready_with_workers_though_the_agent_server_is_away(
    database: str, tmp_path: Path
) -> None:
    with listening() as nobody:
        port = nobody.getsockname()[1]
    settings = settings_for(database, tmp_path, policies=POLICIES, api_url=f"http://127.0.0.1:{port}")
    async with served(settings, workers=True) as url, anybody(url) as http:
        assert (await http.get("/healthz")).json() == {"ok": True}


async def test_workers_that_can_not_start_are_no_readiness(
    database: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies/broken.yaml").write_text("no: policy\n")
    settings = settings_for(database, tmp_path, policies=tmp_path / "policies")
    async with served(settings, workers=True) as url, anybody(url) as http:
        response = await settled(http, 503)
    assert response.json() == {"ok": False, "workers": {"workers": "failed, and starts again"}}
    assert "PoliciesWrong" in caplog.text

"""Every source at once on a real `langgraph dev`, blocking detection on: vectors of a provider, a folder, the web."""

from pathlib import Path
from typing import Any

import pytest

from tests.agents.conftest import TEST_KEY
from tests.agents.research.study import as_written
from tests.agents.thread import ServedThread
from tests.fakes.agent_server import AgentServer
from tests.fakes.openai_answers import Action, Call, by_rules
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.pdf import pdf
from tests.fakes.search_server import KEY, SearchServer, vectors


def provider(call: Call) -> Action:
    return (vectors(8) if call.path.endswith("/embeddings") else by_rules(as_written))(call)


@pytest.mark.slow
async def test_nothing_blocks_and_each_source_is_told(
    tmp_path: Path, shop: str, engine: SearchServer
) -> None:
    (tmp_path / "shelf" / "main").mkdir(parents=True)
    (tmp_path / "shelf" / "main" / "garden.pdf").write_bytes(
        pdf(["Bulbs", "Tulips bloom in April, we deliver them."])
    )
    with OpenAIServer.running(provider) as openai:
        env = {
            "STATIONMASTER_DATABASE_URI": shop, "OPENAI_API_KEY": TEST_KEY, "OPENAI_BASE_URL": openai.url,
            "WEB_SEARCH_URL": engine.url, "WEB_SEARCH_API_KEY": KEY,
            "STATIONMASTER_RESEARCH_FOLDER": str(tmp_path / "shelf"),
        }  # fmt: skip
        server = AgentServer(tmp_path / "server", env=env)
        try:
            await server.start()
            async with server.sdk() as client:
                thread = await ServedThread.begin(client, "research")
                parts = await thread.stream(
                    ["custom", "values"], input={"question": "When do you deliver tulips?"}
                )
                values: Any = [data for event, data in parts if event == "values"][-1]
                state: Any = (await thread.state())["values"]
        finally:
            server.kill_blocking()
    assert (values["outcome"], values["degraded"]) == ("answered", [])
    told = [data["progress"] for event, data in parts if event == "custom"]
    assert "reading garden.pdf: page 2 of 2" in told
    assert "Blocking call" not in server.log
    found = {place["source"] for one in state["passages"].values() for place in one["places"]}
    assert found == {"articles", "meaning", "folder", "web"}
    assert "search_meaning|openai:text-embedding-3-small" in state["usage"]

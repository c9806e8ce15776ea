"""What a run gets without asking: the webhook, and who its assistant is."""

import json
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.server import lookups
from stationmaster.server.stamp import stamp
from stationmaster.server.webhook import NoWebhooks, adapt
from tests.fakes.agent_server import CONFIG, AgentServer, ServerDied
from tests.stationmaster.server.knowing import Knowing
from tests.stationmaster.server.tiny import tiny_project

URL = "http://127.0.0.1:2025/webhooks/langgraph"
ASSISTANT = UUID("3330969d-1bd6-5dfc-80e9-91e7dbf68c4e")
CAREFUL = ServedAssistant(str(ASSISTANT), "Careful", "tiny", "", {}, None, (), {}, 7, "")
NOTHING = {"canary": None, "applied": None, "change": None}


def a_run(**kwargs: Any) -> dict[str, Any]:
    return {"assistant_id": ASSISTANT, "metadata": {}, "kwargs": kwargs}


async def test_a_run_gets_the_webhook_and_its_assistant() -> None:
    run = a_run(input={})
    await stamp(run, Knowing(CAREFUL), URL)
    assert run["kwargs"] == {"input": {}, "webhook": URL}
    assert run["metadata"] == {
        "assistant_id": str(ASSISTANT), "assistant_name": "Careful", "assistant_version": 7,
        "graph_id": "tiny", **NOTHING,
    }  # fmt: skip


async def test_a_callers_own_webhook_stays() -> None:
    run = a_run(webhook="https://elsewhere.example")
    await stamp(run, Knowing(CAREFUL), URL)
    assert run["kwargs"]["webhook"] == "https://elsewhere.example"


async def test_without_a_console_there_is_no_webhook() -> None:
    run = a_run(webhook=None)
    await stamp(run, Knowing(CAREFUL), None)
    assert run["kwargs"] == {"webhook": None}


async def test_a_caller_cannot_say_for_itself_which_assistant_it_is() -> None:
    run = a_run()
    run["metadata"] = {
        "assistant_name": "Trusted", "assistant_version": 9, "assistant_id": "x", "canary": {"arm": "live"},
        "graph_id": "harmless",
        "ticket": 1,
    }  # fmt: skip
    await stamp(run, Knowing(), URL)
    assert run["metadata"] == {
        "assistant_id": str(ASSISTANT), "assistant_name": None, "assistant_version": None, "ticket": 1, **NOTHING,
    }  # fmt: skip


async def test_a_version_that_is_only_remembered_is_not_stamped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lookups, "TTL_S", 0.0)
    server = Knowing(CAREFUL)
    await stamp(a_run(), server, URL)
    server.known.clear()
    run = a_run()
    await stamp(run, server, URL)
    assert (run["metadata"]["assistant_name"], run["metadata"]["assistant_version"]) == ("Careful", None)


def test_the_console_is_allowed_and_the_secret_goes_with_each_hook() -> None:
    webhooks: dict[str, Any] = {"url": {"allowed_domains": ["127.0.0.1"]}}
    adapt(webhooks, "http://console:2025/webhooks/langgraph", "a-secret-of-the-tests")
    assert webhooks["url"]["allowed_domains"] == ["127.0.0.1", "console"]
    assert webhooks["headers"] == {"authorization": "Bearer a-secret-of-the-tests"}


def test_what_langgraph_json_says_stands() -> None:
    webhooks: dict[str, Any] = {"url": {"allowed_domains": []}, "headers": {"Authorization": "Bearer theirs"}}
    adapt(webhooks, URL, "a-secret-of-the-tests")
    assert webhooks == {"url": {"allowed_domains": []}, "headers": {"Authorization": "Bearer theirs"}}


def test_without_a_webhooks_section_it_says_what_to_do() -> None:
    with pytest.raises(NoWebhooks, match="add it"):
        adapt(None, URL, None)


def test_a_server_without_the_section_refuses_to_start_in_one_line(served_shop: str, tmp_path: Path) -> None:
    path = tiny_project(tmp_path)
    config = json.loads(CONFIG.read_text())
    del config["webhooks"]
    path.write_text(json.dumps({**config, "graphs": {"tiny": "tiny:graph"}}))
    env = {"STATIONMASTER_DATABASE_URI": served_shop, "STATIONMASTER_WEBHOOK_URL": URL}
    server = AgentServer(tmp_path, env=env, config=path)
    with pytest.raises(ServerDied, match="exit code 2"):
        server.start_blocking()
    assert "error: langgraph.json has no `webhooks` section" in server.log

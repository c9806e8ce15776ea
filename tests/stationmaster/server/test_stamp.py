"""What a run gets without asking, and that a lookup neither holds it up nor fails it."""

import asyncio
import json
import time
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest

from stationmaster.server import stamp as stamping
from stationmaster.server.stamp import Names, stamp
from stationmaster.server.webhook import NoWebhooks, adapt
from tests.fakes.agent_server import CONFIG, AgentServer, ServerDied
from tests.stationmaster.server.tiny import tiny_project
from tests.webhooks.receiving import until

URL = "http://127.0.0.1:2025/webhooks/langgraph"
ASSISTANT = UUID("3330969d-1bd6-5dfc-80e9-91e7dbf68c4e")


class Asked:
    """Stands in for the server's list of assistants: counts, waits, fails, as told."""

    def __init__(self) -> None:
        self.count = 0
        self.name: str | None = "Careful"
        self.gate = asyncio.Event()
        self.gate.set()

    async def __call__(self, assistant_id: str) -> str | None:
        self.count += 1
        await self.gate.wait()
        return self.name


def a_run(**kwargs: Any) -> dict[str, Any]:
    return {"assistant_id": ASSISTANT, "metadata": {}, "kwargs": kwargs}


async def test_a_run_gets_the_webhook_and_its_assistant() -> None:
    run = a_run(input={})
    await stamp(run, Names(Asked()), URL)
    assert run["kwargs"] == {"input": {}, "webhook": URL}
    assert run["metadata"] == {
        "assistant_id": str(ASSISTANT), "assistant_name": "Careful", "assistant_version": None,
    }  # fmt: skip


async def test_a_callers_own_webhook_stays() -> None:
    run = a_run(webhook="https://elsewhere.example")
    await stamp(run, Names(Asked()), URL)
    assert run["kwargs"]["webhook"] == "https://elsewhere.example"


async def test_without_a_console_there_is_no_webhook() -> None:
    run = a_run(webhook=None)
    await stamp(run, Names(Asked()), None)
    assert run["kwargs"] == {"webhook": None}


async def test_a_caller_cannot_say_for_itself_which_assistant_it_is() -> None:
    run = a_run()
    run["metadata"] = {"assistant_name": "Trusted", "assistant_version": 7, "assistant_id": "x", "ticket": 1}
    asked = Asked()
    asked.name = None
    await stamp(run, Names(asked), URL)
    assert run["metadata"] == {
        "assistant_id": str(ASSISTANT), "assistant_name": None, "assistant_version": None, "ticket": 1,
    }  # fmt: skip


async def test_a_hundred_runs_at_once_ask_once() -> None:
    asked = Asked()
    names = Names(asked)
    found = await asyncio.gather(*(names.of("a") for _ in range(100)))
    assert (set(found), asked.count) == ({"Careful"}, 1)


async def test_a_slow_lookup_holds_no_run_up_and_serves_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamping, "WAIT_S", 0.02)
    asked = Asked()
    asked.gate.clear()
    names = Names(asked)
    started = time.monotonic()
    assert await names.of("a") is None
    assert time.monotonic() - started < 1
    asked.gate.set()
    assert await names.of("a") == "Careful"
    assert asked.count == 1


async def is_now(names: Names, name: str) -> bool:
    return await names.of("a") == name


async def test_a_rename_shows_after_a_while_and_the_old_name_is_given_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stamping, "TTL_S", 0.0)
    asked = Asked()
    names = Names(asked)
    assert await names.of("a") == "Careful"
    asked.name = "Bold"
    assert await names.of("a") == "Careful"  # at once, and asks again behind it
    await until(lambda: is_now(names, "Bold"))


async def test_a_failed_lookup_forgets_no_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamping, "TTL_S", 0.0)
    asked = Asked()
    names = Names(asked)
    assert await names.of("a") == "Careful"
    asked.name = None
    for _ in range(3):
        assert await names.of("a") == "Careful"
        await asyncio.sleep(0)


async def test_names_of_many_assistants_do_not_pile_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stamping, "CAPACITY", 10)
    asked = Asked()
    names = Names(asked)
    for number in range(50):
        await names.of(str(number))
    await names.of("49")
    assert asked.count == 50
    await names.of("0")
    assert asked.count == 51


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

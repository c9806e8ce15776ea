"""The thread beside a question: messages and state as the Agent Server has them, or one line why not."""

from typing import Any

from pydantic import SecretStr

from stationmaster.console.pages import thread
from stationmaster.settings import Settings
from tests.fakes.agent_server import AgentServer, free_port
from tests.stationmaster.console.pages.questions import EVIL


def settings_of(url: str, key: str | None = None) -> Settings:
    defaults: dict[str, Any] = {name: field.get_default() for name, field in Settings.model_fields.items()}
    secret = SecretStr(key) if key else None
    return Settings.model_construct(**defaults).model_copy(update={"api_url": url, "api_key": secret})


async def test_a_real_thread(support: AgentServer):
    async with support.sdk() as sdk:
        made = await sdk.threads.create()
        asked = {
            "messages": [{"role": "user", "content": "Where is my order 88123?"}],
            "ticket_id": "T-pages",
        }
        await sdk.runs.wait(made["thread_id"], "support", input=asked)
    found = await thread.look(settings_of(support.url), made["thread_id"])
    assert found.problem == "" and found.messages is not None and found.state is not None
    assert [message.role_label for message in found.messages.items][:1] == ["Customer"]
    assert found.messages.items[0].body.text == "Where is my order 88123?"
    gone = await thread.look(settings_of(support.url), "00000000-0000-4000-8000-000000000000")
    assert gone.problem == "The thread is no longer there."


async def test_a_server_that_is_not_there():
    found = await thread.look(settings_of(f"http://127.0.0.1:{free_port()}"), "thread")
    assert "no Agent Server answers" in found.problem


def test_long_conversations_and_odd_states():
    many = [{"type": "human", "content": f"{number} {EVIL}"} for number in range(40)]
    found = thread.of_state({"messages": many, "draft": "x"})
    assert found.earlier == 28 and found.messages is not None and len(found.messages.items) == 12
    assert thread.of_state({"messages": [1, 2]}).messages is None
    assert thread.of_state(None).state is not None and thread.of_state([]).messages is None

"""Building models by name: what is said when it can't be done, and that no loop is ever blocked or shared."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from blockbuster import BlockingError, blockbuster_ctx
from langchain.agents import create_agent
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_core.tools import tool

from agents.shared import models
from agents.shared.models import ModelMisconfigured, ask, chat_client, chat_model, clients, default_model
from agents.shared.offline import OfflineChatModel, Reply, Request
from tests.fakes.openai_answers import Say, by_rules
from tests.fakes.openai_server import OpenAIServer


def rules(request: Request) -> Reply:
    """Looks the order up first, then says what came of it."""
    last = request.messages[-1]
    if isinstance(last, ToolMessage):
        return Reply(f"It is {last.text}.")
    return Reply(tool_calls=(("find_order", {"order_id": "88123"}),))


@tool
async def find_order(order_id: str) -> str:
    """Where an order is."""
    return f"order {order_id}, delivered"


def test_the_default_follows_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    assert default_model() == "offline:rules"
    assert isinstance(chat_model(None, rules=rules), OfflineChatModel)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    assert default_model() == "openai:gpt-4.1-mini"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("openai:gpt-4.1", "OPENAI_API_KEY"),
        ("gpt-4.1", "provider:model"),
        ("openai:", "provider:model"),
        ("offline:magic", "offline:rules"),
        ("nobody:x", "nobody"),
        ("anthropic:claude", "langchain-anthropic"),
    ],
)
def test_a_wrong_name_says_what_to_do(monkeypatch: pytest.MonkeyPatch, name: str, says: str) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ModelMisconfigured, match=says):
        chat_model(name, rules=rules)


async def test_one_client_a_loop_and_configuration(openai_server: OpenAIServer) -> None:
    first, second = await asyncio.gather(*[chat_client("openai:a", rules=rules) for _ in range(2)])
    assert first is second
    assert await chat_client("openai:a", rules=rules, temperature=0.5) is not first
    await models.close()
    assert await chat_client("openai:a", rules=rules) is not first


async def test_the_clients_kept_are_the_ones_used_last(
    openai_server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clients, "MAX_CLIENTS", 2)
    one, _ = [await chat_client(f"openai:{name}", rules=rules) for name in "ab"]
    assert await chat_client("openai:a", rules=rules) is one
    await chat_client("openai:c", rules=rules)
    assert await chat_client("openai:a", rules=rules) is one


def test_loops_do_not_share_connections(monkeypatch: pytest.MonkeyPatch) -> None:
    async def once() -> str:
        answer = await ask(["hello"], node="test", models=["openai:loops"], rules=rules)
        await models.close()
        return answer.message.text

    monkeypatch.setenv("OPENAI_API_KEY", "k")
    with OpenAIServer.running(lambda _: Say("hi")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        assert [asyncio.run(once()) for _ in range(3)] == ["hi"] * 3


@pytest.mark.parametrize("kind", ["offline", "openai"])
async def test_an_agent_calls_its_tool(openai_server: OpenAIServer, kind: str) -> None:
    openai_server.responder = by_rules(rules)
    model = await chat_client("offline:rules" if kind == "offline" else "openai:agent", rules=rules)
    result = await create_agent(model, [find_order]).ainvoke({"messages": [HumanMessage("Where is 88123?")]})
    assert [message.type for message in result["messages"]] == ["human", "ai", "tool", "ai"]
    assert result["messages"][-1].text == "It is order 88123, delivered."
    assert len(openai_server.calls) == (2 if kind == "openai" else 0)


async def test_parallel_tool_calls_over_http(openai_server: OpenAIServer) -> None:
    openai_server.script(
        Say(tool_calls=(("find_order", {"order_id": "1"}), ("find_order", {"order_id": "2"})))
    )
    client = await chat_client("openai:parallel", rules=rules)
    message = await client.bind_tools([find_order]).ainvoke("both")
    assert [call["args"]["order_id"] for call in message.tool_calls] == ["1", "2"]


async def test_asking_blocks_no_loop(openai_server: OpenAIServer) -> None:
    openai_server.responder = by_rules(lambda request: Reply(request.last_human))
    with blockbuster_ctx():
        with pytest.raises(BlockingError):
            Path(__file__).read_text()  # noqa: ASYNC240 - shows that the detector is awake
        for name in ("openai:first", "openai:first", "offline:rules"):
            answer = await ask(["hello"], node="test", models=[name], rules=lambda _: Reply("hello"))
            assert answer.message.text == "hello"


FIRST_QUESTION = """
import asyncio
from agents.shared.models import ask, chat_model, close
from agents.shared.offline import Reply
from blockbuster import blockbuster_ctx

def rules(_):
    return Reply()

async def main():
    with blockbuster_ctx():
        {build}
        answer = await ask(["hello"], node="test", models=["openai:first"], rules=rules)
        await close()
    return answer.message.text

print(asyncio.run(main()))
"""


@pytest.mark.parametrize(
    ("build", "printed", "error"),
    [("pass", "hi", ""), ("chat_model('openai:first', rules=rules)", "", "BlockingError")],
    ids=["ask", "the detector sees a client built on the loop"],
)
def test_the_first_question_of_a_process_blocks_no_loop(
    monkeypatch: pytest.MonkeyPatch, build: str, printed: str, error: str
) -> None:
    """In a process of its own, where nothing was imported, cached or read before."""
    program = FIRST_QUESTION.format(build=build)
    with OpenAIServer.running(lambda _: Say("hi")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert ran.stdout.strip() == printed, ran.stderr
    assert error in ran.stderr

"""Lab 9: three assistants of one graph, with two models and two temperatures.

The wrong graph reads its model when it is built: from then on it knows one, whatever the environment says later,
and each further configuration needs another import, or another process. The right graph reads its context in the
node: one compiled graph, nothing built anew, and each answer tells which configuration gave it. What was asked of
which model, at which temperature, is read from the requests that the provider got.
"""

import os
import sys
from typing import Annotated, Any

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langgraph.graph import END, START, StateGraph, add_messages
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field
from typing_extensions import TypedDict

from agents.shared import models
from agents.shared.offline import Reply, Request
from tests.fakes.openai_answers import by_rules
from tests.fakes.openai_server import OpenAIServer
from tests.labs.figures import Figures

CONFIGS = {
    "careful": {"model": "openai:gpt-4.1", "temperature": 0.0},
    "lively": {"model": "openai:gpt-4.1", "temperature": 0.9},
    "cheap": {"model": "openai:gpt-4.1-mini", "temperature": 0.0},
}
TABLE = Figures(
    "config swap",
    (
        "config",
        "asked for",
        "at",
        "model of the wrong graph",
        "model of the right one",
        "temperature of the right one",
    ),
    tuple(CONFIGS),
)


class Context(BaseModel):
    model: str = Field(default="openai:gpt-4.1", description="provider:model")
    temperature: float = Field(default=0.0, description="0 to 2")


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


def rules(request: Request) -> Reply:
    return Reply(text=f"answer to {request.last_human}")


async def ask(state: State, model: str, temperature: float) -> dict[str, Any]:
    client = await models.chat_client(model, rules=rules, temperature=temperature)
    answer: AIMessage = await client.ainvoke(state["messages"])
    return {"messages": [answer]}


def from_environment() -> Any:
    """Reads the model once, as module-level code does."""
    model, temperature = os.environ["LAB_MODEL"], float(os.environ["LAB_TEMPERATURE"])

    async def node(state: State) -> dict[str, Any]:
        return await ask(state, model, temperature)

    return built(node)


async def from_context(state: State, runtime: Runtime[Context]) -> dict[str, Any]:
    return await ask(state, runtime.context.model, runtime.context.temperature)


def built(node: Any) -> Any:
    builder = StateGraph(State, context_schema=Context)
    builder.add_node("ask", node)
    builder.add_edge(START, "ask")
    builder.add_edge("ask", END)
    return builder.compile()


right = built(from_context)


@pytest.fixture
async def provider(monkeypatch: pytest.MonkeyPatch) -> Any:
    with OpenAIServer.running(by_rules(rules)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "a-key-that-is-never-real")
        yield server
        await models.close()


async def asked_of(provider: OpenAIServer, graph: Any, text: str, **context: Any) -> tuple[str, float]:
    """Model and temperature of the request that the provider got, which the answer names too."""
    provider.calls.clear()
    (_, answer) = (await graph.ainvoke({"messages": [HumanMessage(text)]}, **context))["messages"]
    (call,) = provider.calls
    assert answer.text == f"answer to {text}"
    assert answer.response_metadata["model_name"] == call.body["model"]
    return call.body["model"], call.body["temperature"]


def graph_modules() -> dict[str, int]:
    """The modules that a graph is made of, each with its identity: one that is imported again has another."""
    ours = ("agents.", "langgraph.", __name__)
    return {name: id(module) for name, module in sys.modules.items() if name.startswith(ours)}


async def test_three_configs_on_one_compiled_graph(
    provider: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_MODEL", "openai:gpt-4.1")
    monkeypatch.setenv("LAB_TEMPERATURE", "0")
    wrong = from_environment()
    await asked_of(provider, right, "warm up", context=Context())
    compiled: list[Any] = []
    monkeypatch.setattr(StateGraph, "compile", lambda *args, **kwargs: compiled.append(args))
    imported = graph_modules()
    for name, config in CONFIGS.items():
        monkeypatch.setenv("LAB_MODEL", str(config["model"]))
        monkeypatch.setenv("LAB_TEMPERATURE", str(config["temperature"]))
        asked = f"{config['model']}".removeprefix("openai:")
        wrongly, _ = await asked_of(provider, wrong, name)
        model, temperature = await asked_of(provider, right, name, context=Context.model_validate(config))
        assert (model, temperature) == (asked, config["temperature"])
        TABLE.keep(name, asked, config["temperature"], wrongly, model, temperature)
    assert not compiled and graph_modules() == imported

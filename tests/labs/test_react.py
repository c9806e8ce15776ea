"""Lab 1: the loop of model and tools, written by hand and taken from the library, on the same five prompts.

Each of the two is a dozen lines or one call. What they send to the model, which tools they call and what they
answer is the same, word by word on the wire; so the choice is about what else one needs: test_react_differs.py.
"""

import json
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.tools import tool
from langgraph.graph import START, StateGraph, add_messages
from langgraph.prebuilt import ToolNode
from typing_extensions import TypedDict

from agents.shared import models
from agents.shared.offline import Reply, Request
from agents.shared.shop.articles import search_articles
from agents.shared.shop.orders import find_order
from tests.fakes.openai_answers import by_rules
from tests.fakes.openai_server import OpenAIServer
from tests.fakes.shop import place_order
from tests.labs.figures import Figures

PROMPT = "You answer customers of a shop. Look things up; invent nothing."
TABLE = Figures(
    "react twice",
    ("prompt", "tools called", "calls the same", "answer the same", "requests the same"),
    ("order", "question", "both at once", "no such order", "no tool"),
)


class State(TypedDict):
    messages: Annotated[list[AnyMessage], add_messages]


@tool
async def order_status(number: str) -> str:
    """The state of an order by its number."""
    order = await find_order(number)
    return f"order {number}: {order['status']}" if order else f"order {number}: none"


@tool
async def help_articles(question: str) -> str:
    """The title of the help article that fits a question best."""
    found = await search_articles(question, 1)
    return f"article: {found[0]['title']}" if found else "article: none"


@tool
async def explode() -> str:
    """Raises."""
    raise ValueError("as it happens")


TOOLS = [order_status, help_articles, explode]


def rules(request: Request) -> Reply:
    """Both tools where both are asked for; then what they said."""
    found = [message.text for message in request.messages if isinstance(message, ToolMessage)]
    if found:
        return Reply(text=" / ".join(found))
    words = request.last_human.rstrip("?").split()
    calls = [("order_status", {"number": word}) for word in words if word.isdigit()]
    if "How" in words:
        calls.append(("help_articles", {"question": request.last_human}))
    return Reply(tool_calls=tuple(calls)) if calls else Reply(text="You are welcome.")


def by_hand(model: Any) -> Any:
    bound = model.bind_tools(TOOLS)

    async def ask(state: State) -> dict[str, Any]:
        return {"messages": [await bound.ainvoke([SystemMessage(PROMPT), *state["messages"]])]}

    def after(state: State) -> Literal["tools", "__end__"]:
        last = state["messages"][-1]
        return "tools" if isinstance(last, AIMessage) and last.tool_calls else "__end__"

    builder = StateGraph(State)
    builder.add_node("model", ask)
    builder.add_node("tools", ToolNode(TOOLS))
    builder.add_edge(START, "model")
    builder.add_conditional_edges("model", after)
    builder.add_edge("tools", "model")
    return builder.compile()


def prebuilt(model: Any) -> Any:
    return create_agent(model, TOOLS, system_prompt=PROMPT)


@dataclass(frozen=True)
class Told:
    """What one run did: the tool calls, the answer, and what went over the wire."""

    calls: list[tuple[str, str]]
    answer: str
    requests: list[dict[str, Any]]


async def run(graph: Any, server: OpenAIServer, text: str) -> Told:
    server.calls.clear()
    messages = (await graph.ainvoke({"messages": [HumanMessage(text)]}))["messages"]
    calls = [
        (call["name"], json.dumps(call["args"]))
        for message in messages
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    ]
    return Told(calls, messages[-1].text, [call.body for call in server.calls])


@pytest.fixture
async def served_model(monkeypatch: pytest.MonkeyPatch) -> Any:
    """An OpenAI-compatible server, and a model that speaks to it over HTTP."""
    with OpenAIServer.running(by_rules(rules)) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "a-key-that-is-never-real")
        yield server, await models.chat_client("openai:gpt-4.1-mini", rules=rules)
        await models.close()


async def test_five_prompts(served_model: Any, agents_on_seeded_database: str) -> None:
    server, model = served_model
    number = place_order(agents_on_seeded_database)
    prompts = {
        "order": f"Where is order {number}?",
        "question": "How long does standard delivery take?",
        "both at once": f"Where is order {number} and How do I return it?",
        "no such order": "Where is order 99999999?",
        "no tool": "Thanks!",
    }
    graphs = by_hand(model), prebuilt(model)
    for name, text in prompts.items():
        hand, built = [await run(graph, server, text) for graph in graphs]
        same = [getattr(hand, part) == getattr(built, part) for part in ("calls", "answer", "requests")]
        TABLE.keep(name, len(hand.calls), *("yes" if each else "no" for each in same))
        assert all(same[:2]) and (hand.calls or name == "no tool"), (hand, built)

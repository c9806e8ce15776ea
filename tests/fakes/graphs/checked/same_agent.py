"""Two agents that are one, and two that differ."""

import warnings
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel
from langgraph.graph import START, StateGraph
from langgraph.graph.message import MessagesState
from langgraph.prebuilt import create_react_agent


class Model(FakeListChatModel):
    def bind_tools(self, tools: Any, **kinds: Any) -> Any:
        return self


def order(number: str) -> str:
    """Find an order."""
    return number


def refund(number: str) -> str:
    """Refund an order."""
    return number


def agent(prompt: str, *tools: Any, temperature: float = 0.0) -> Any:
    return create_agent(
        Model(responses=["done"], metadata={"t": temperature}), list(tools), system_prompt=prompt
    )


def react(prompt: str, *tools: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return create_react_agent(Model(responses=["done"]), list(tools), prompt=prompt)


def team(first: Any, second: Any) -> Any:
    builder = StateGraph(MessagesState)
    builder.add_node("first", first)
    builder.add_node("second", second)
    builder.add_edge(START, "first")
    builder.add_edge("first", "second")
    return builder.compile()


one, other = agent("You help.", order), agent("You help.", order)


async def runs_one(state: MessagesState) -> dict[str, Any]:
    return await one.ainvoke(state)


async def runs_other(state: MessagesState) -> dict[str, Any]:
    return await other.ainvoke(state)


bad_agents = team(agent("You help.", order, refund), agent("You help.", refund, order))
bad_react = team(react("You help.", order), react("You help.", order))
bad_called = team(runs_one, runs_other)
good_prompt = team(agent("You help.", order), agent("You pay.", order))
good_tools = team(agent("You help.", order), agent("You help.", order, refund))
good_same_object = team(runs_one, one)

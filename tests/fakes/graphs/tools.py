"""A tool that asks by itself: with `create_agent` each call is a task of its own, with a plain ToolNode all are one.

Input: `script.scripted(("refund", {"key", "amount_usd"}), ...)`. The question is {"question", "key", "amount_usd"};
the effect happens if the answer is {"ok": true}, and carries an amount if the answer names one. It has an idempotency
key; how often it was attempted is written too, since a plain ToolNode runs answered calls again.
"""

from typing import Any

from langchain.agents import create_agent
from langchain_core.tools import tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from langgraph.types import interrupt

from tests.fakes.graphs import ledger
from tests.fakes.graphs.script import model


@tool
async def refund(key: str, amount_usd: float) -> str:
    """Refund an amount, if a person agrees."""
    answer = interrupt({"question": f"Refund {key}?", "key": key, "amount_usd": amount_usd})
    if not answer["ok"]:
        return "refused"
    await ledger.write(key, "attempt")
    await ledger.write(key, "refund", answer.get("amount_usd", amount_usd), once=f"refund:{key}")
    return "refunded"


async def call_model(state: MessagesState) -> dict[str, Any]:
    return {"messages": [await model().bind_tools([refund]).ainvoke(state["messages"])]}


tasks = create_agent(model(), tools=[refund], name="tool_tasks")

builder = StateGraph(MessagesState)
builder.add_node("model", call_model)
builder.add_node("tools", ToolNode([refund]))
builder.add_edge(START, "model")
builder.add_conditional_edges("model", tools_condition)
builder.add_edge("tools", "model")
one_node = builder.compile(name="tool_node")

"""LangChain's HumanInTheLoopMiddleware around three tools: one interrupt a message, or one a call.

Input: `script.scripted(("pay", {"key", "to", "amount_usd"}), ...)`. `pay` may be approved, edited, rejected or
answered; `mail` only approved or rejected; `ask_person` only answered.
"""

from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware import HumanInTheLoopMiddleware, InterruptOnConfig
from langchain_core.tools import tool

from tests.fakes.graphs import ledger
from tests.fakes.graphs.script import model


@tool
async def pay(key: str, to: str, amount_usd: float, note: str | None = None) -> str:
    """Pay an amount."""
    await ledger.write(key, "pay", {"to": to, "amount_usd": amount_usd, "note": note})
    return f"paid {amount_usd} to {to}"


@tool
async def mail(key: str, text: str) -> str:
    """Send a mail."""
    await ledger.write(key, "mail", {"text": text})
    return "sent"


@tool
async def ask_person(key: str, question: str) -> str:
    """Ask a person."""
    await ledger.write(key, "ask_person", {"question": question})
    return "nobody answers here"


GATES: dict[str, bool | InterruptOnConfig] = {
    "pay": True,
    "mail": {"allowed_decisions": ["approve", "reject"], "description": "Send this mail?"},
    "ask_person": {"allowed_decisions": ["respond"]},
}


def _agent(name: str, **mode: Any):
    gate = HumanInTheLoopMiddleware(interrupt_on=GATES, **mode)
    return create_agent(model(), tools=[pay, mail, ask_person], middleware=[gate], name=name)


batched = _agent("hitl_batch")
per_call = _agent("hitl_call", interrupt_mode="per_call")

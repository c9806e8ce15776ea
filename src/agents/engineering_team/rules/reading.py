"""What the rules read: the facts that were sent, and what tools have said since."""

import json
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage

from agents.shared.offline import Request


def facts_of(request: Request) -> dict[str, Any]:
    """The facts of the newest message; text that is no JSON object is a task."""
    try:
        read = json.loads(request.last_human)
    except ValueError:
        read = None
    return read if isinstance(read, dict) else {"task": request.last_human}


def said(request: Request) -> list[tuple[str, str]]:
    """What tools said in this conversation, as (tool, text). The name stands with the call: providers lose it."""
    calls = {
        call["id"]: call["name"]
        for one in request.messages
        if isinstance(one, AIMessage)
        for call in one.tool_calls
    }
    results = (one for one in request.messages if isinstance(one, ToolMessage))
    return [(calls.get(one.tool_call_id, ""), one.text) for one in results]


def steps(request: Request) -> int:
    """How often was answered before."""
    return sum(isinstance(message, AIMessage) for message in request.messages)


def text(facts: dict[str, Any], name: str) -> str:
    """A fact as text; empty when it is something else."""
    found = facts.get(name, "")
    return found if isinstance(found, str) else ""

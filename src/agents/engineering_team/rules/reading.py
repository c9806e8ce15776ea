"""What the rules read: the facts that were sent, and what tools have said since."""

import json
from typing import Any

from langchain_core.messages import AIMessage, ToolMessage

from agents.shared.offline import Request

NO_MODEL = "No model is configured; written rules decided this."


def facts_of(request: Request) -> dict[str, Any]:
    """The facts of the newest message; text that is no JSON object is a task."""
    try:
        read = json.loads(request.last_human)
    except ValueError:
        read = None
    return read if isinstance(read, dict) else {"task": request.last_human}


def said(request: Request) -> list[ToolMessage]:
    """The results of all tools in this conversation."""
    return [message for message in request.messages if isinstance(message, ToolMessage)]


def steps(request: Request) -> int:
    """How often was answered before."""
    return sum(isinstance(message, AIMessage) for message in request.messages)


def text(facts: dict[str, Any], name: str) -> str:
    """A fact as text; empty when it is something else."""
    found = facts.get(name, "")
    return found if isinstance(found, str) else ""

"""A chat model that calls the tools which the last human message lists, as JSON, and then says that it is done."""

import json
from typing import Any

from langchain_core.messages import ToolMessage

from agents.shared.offline import OfflineChatModel, Reply, Request


def scripted(*calls: tuple[str, dict[str, Any]]) -> dict[str, Any]:
    """The input that makes a scripted agent call these tools in one message."""
    return {"messages": [{"role": "user", "content": json.dumps(calls)}]}


def _follow(request: Request) -> Reply:
    if isinstance(request.messages[-1], ToolMessage):
        return Reply(text="done")
    calls = json.loads(request.last_human)
    return Reply(tool_calls=tuple((name, args) for name, args in calls))


def model() -> OfflineChatModel:
    return OfflineChatModel(rules=_follow)

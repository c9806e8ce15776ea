"""Tool calls as they are compared, counted and found in a conversation: pure."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolCall, ToolMessage

RESOLUTION = "Resolution"
"""The tool by which the agent ends; it is no call of a tool of ours."""


def digest(name: str, args: Mapping[str, Any]) -> str:
    """SHA-256 of name and sorted arguments: equal for calls that ask the same."""
    text = json.dumps([name, args], sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return sha256(text.encode("utf-8", "replace")).hexdigest()


def newest_answer(messages: Sequence[AnyMessage]) -> AIMessage | None:
    """What the model said last, if it said anything."""
    return next((message for message in reversed(messages) if isinstance(message, AIMessage)), None)


def wanted(message: AIMessage | None) -> list[ToolCall]:
    """The calls of our tools in an answer."""
    return [call for call in message.tool_calls if call["name"] != RESOLUTION] if message else []


def answered(messages: Sequence[AnyMessage]) -> set[str]:
    """The ids of all calls that have a result."""
    return {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}


def of_request(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The messages since the customer's newest, that one included."""
    places = [place for place, message in enumerate(messages) if isinstance(message, HumanMessage)]
    return list(messages[places[-1] :]) if places else list(messages)


def not_run(call: ToolCall, why: str) -> ToolMessage:
    """The result of a call that was not made."""
    return ToolMessage(why, tool_call_id=call["id"] or "", name=call["name"], status="error")


def mended(messages: Sequence[AnyMessage], why: str) -> list[AnyMessage] | None:
    """The messages with a result for each call that has none, where it belongs; None when none is missing.

    A customer who writes while a refund waits leaves its call without a result; providers refuse such a conversation.
    """
    known, whole = answered(messages), list[AnyMessage]()
    for message in messages:
        whole.append(message)
        if isinstance(message, AIMessage):
            whole.extend(not_run(call, why) for call in message.tool_calls if call["id"] not in known)
    return whole if len(whole) > len(messages) else None

"""What the OpenAI-compatible test server can answer: completions, errors, and every way of failing."""

import json
import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from langchain_core.messages import convert_to_messages

from agents.shared.offline import Rules, count_tokens, request_of

ToolCalls = tuple[tuple[str, dict[str, Any] | str], ...]


@dataclass(frozen=True)
class Call:
    """One request that reached the server; header names are lower case, `at` is its time.monotonic()."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class Say:
    """A completion. Tool arguments given as a string are sent as they are: broken JSON, for example."""

    text: str = ""
    tool_calls: ToolCalls = ()
    refusal: str | None = None
    finish_reason: str | None = None
    usage: tuple[int, int] | None = (11, 7)


@dataclass(frozen=True)
class Completion:
    """A whole completion body, as a provider gave it."""

    body: dict[str, Any]


@dataclass(frozen=True)
class Status:
    """An error with OpenAI's error body."""

    code: int
    message: str = "as the test asked"
    error_code: str | None = None
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """Any bytes with status 200."""

    body: bytes
    content_type: str = "application/json"


@dataclass(frozen=True)
class Hang:
    """Silence until the server stops: at once, or after so many `chunks` of a stream."""

    chunks: int = 0


@dataclass(frozen=True)
class Cut:
    """The connection ends in the middle: torn, or (`politely`) as if the answer were complete."""

    text: str = "one two three four five six"
    chunks: int = 3
    politely: bool = False


Action = Say | Completion | Status | Raw | Hang | Cut
Responder = Callable[[Call], Action]


def by_rules(rules: Rules) -> Responder:
    """Answers as the offline model with these rules would, but over HTTP."""

    def respond(call: Call) -> Action:
        messages = convert_to_messages(call.body["messages"])
        names = tuple(tool["function"]["name"] for tool in call.body.get("tools", ()))
        reply = rules(request_of(messages, names, call.body.get("tool_choice")))
        written = reply.text + "".join(json.dumps(args) for _, args in reply.tool_calls)
        usage = (count_tokens(json.dumps(call.body["messages"])), count_tokens(written))
        return Say(reply.text, reply.tool_calls, usage=usage)

    return respond


def completion(call: Call, say: Say) -> dict[str, Any]:
    """The body of a completion that says it."""
    message: dict[str, Any] = {"role": "assistant", "content": say.text or None, "refusal": say.refusal}
    if say.tool_calls:
        message["tool_calls"] = [
            {
                "id": f"call_{len(call.body['messages'])}_{index}",
                "type": "function",
                "function": {"name": name, "arguments": args if isinstance(args, str) else json.dumps(args)},
            }
            for index, (name, args) in enumerate(say.tool_calls)
        ]
    reason = say.finish_reason or ("tool_calls" if say.tool_calls else "stop")
    body: dict[str, Any] = {
        "id": "chatcmpl-fake",
        "object": "chat.completion",
        "created": 0,
        "model": call.body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": reason, "logprobs": None}],
    }
    if say.usage:
        spent_in, spent_out = say.usage
        total = spent_in + spent_out
        body["usage"] = {"prompt_tokens": spent_in, "completion_tokens": spent_out, "total_tokens": total}
    return body


def stream_of(body: dict[str, Any], *, include_usage: bool) -> Iterator[dict[str, Any]]:
    """The chunks in which a provider streams this completion; usage comes last and only when asked for."""
    base = {key: body[key] for key in ("id", "created", "model")} | {"object": "chat.completion.chunk"}
    choice = body["choices"][0]
    for delta in _deltas(choice["message"]):
        yield base | {"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield base | {"choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    if include_usage and "usage" in body:
        yield base | {"choices": [], "usage": body["usage"]}


def _deltas(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield {"role": "assistant", "content": ""}
    for word in re.findall(r"\S+\s*|\s+", message.get("content") or ""):
        yield {"content": word}
    if message.get("refusal"):
        yield {"refusal": message["refusal"]}
    for index, tool in enumerate(message.get("tool_calls") or ()):
        function = tool["function"]
        start = {
            "id": tool["id"],
            "type": "function",
            "function": {"name": function["name"], "arguments": ""},
        }
        yield {"tool_calls": [{"index": index} | start]}
        for part in re.findall(r".{1,12}", function["arguments"], re.DOTALL):
            yield {"tool_calls": [{"index": index, "function": {"arguments": part}}]}

"""What a span tells, read from what LangChain tells its callbacks: names, counts and ids, never a value. Pure."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatGeneration, LLMResult
from langgraph.graph import END
from langgraph.types import Command, Send
from pydantic import BaseModel

Facts = dict[str, Any]
"""Attributes: text, numbers, or lists of text."""
Price = Callable[[str], Any]
"""USD a million tokens (`usd_in`, `usd_out`) of a model named provider:name; None for one that is not known."""

THREAD, RUN, ATTEMPT = "langgraph.thread_id", "langgraph.run_id", "langgraph.attempt"
NODE, STEP = "langgraph.node", "langgraph.step"
KEYS, GOTO = "langgraph.updated_keys", "langgraph.goto"
OUTCOME = "langgraph.outcome"

# What identifies a run, by its name in the metadata that the server gives every run. A list of what is allowed:
# whatever else callers put there stays out.
_IDENTITY = {
    "thread_id": THREAD,
    "run_id": RUN,
    "assistant_id": "langgraph.assistant_id",
    "assistant_name": "langgraph.assistant",
    "assistant_version": "langgraph.assistant_version",
    "graph_id": "langgraph.graph_id",
    "run_attempt": ATTEMPT,
    "tenant": "stationmaster.tenant",
}
_MOST_KEYS = 50
_LONGEST = 8_000


def identity(metadata: Mapping[str, Any] | None, run_id: object) -> Facts:
    """Whose run it is: thread, run, assistant and version, as far as they are known. Every span of a tree has them."""
    found = metadata or {}
    facts = {
        ours: found[theirs] for theirs, ours in _IDENTITY.items() if isinstance(found.get(theirs), (str, int))
    }
    if isinstance(facts.get(ATTEMPT), str):
        del facts[ATTEMPT]
    return {RUN: str(run_id), **facts}


def agent(name: str, facts: Facts) -> Facts:
    """A whole graph, in the words of OpenTelemetry's conventions for agents."""
    told: Facts = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": name}
    for theirs, ours in (("gen_ai.agent.id", "langgraph.assistant_id"), ("gen_ai.conversation.id", THREAD)):
        if ours in facts:
            told[theirs] = facts[ours]
    return told


def node(name: str, metadata: Mapping[str, Any] | None) -> Facts:
    """One task of a super-step; its namespace tells two of one name apart."""
    found = metadata or {}
    told: Facts = {NODE: name}
    if isinstance(step := found.get("langgraph_step"), int):
        told[STEP] = step
    if isinstance(namespace := found.get("langgraph_checkpoint_ns"), str):
        told["langgraph.checkpoint_ns"] = namespace
    return told


def changes(outputs: object) -> Facts:
    """The names of the keys that a node wrote, and where it handed over to."""
    parts = _parts(outputs)
    keys = set[str]().union(*map(_keys, parts))
    goto = [name for part in parts if isinstance(part, Command) for name in _goto(part)]
    told: Facts = {KEYS: sorted(keys)[:_MOST_KEYS]} if keys else {}
    return {**told, GOTO: goto[:_MOST_KEYS]} if goto else told


def hands_over(output: object) -> bool:
    """Whether a tool gave back commands rather than a result."""
    return any(isinstance(part, Command) for part in _parts(output))


def _parts(outputs: object) -> Sequence[object]:
    """What a node gave back, one by one: a list of it is looked into, no deeper."""
    return outputs[:_MOST_KEYS] if isinstance(outputs, (list, tuple)) else [outputs]


def _keys(part: object) -> set[str]:
    match part:
        case Command(update=list() | tuple() as pairs):
            return {
                pair[0] for pair in pairs if isinstance(pair, tuple) and pair and isinstance(pair[0], str)
            }
        case Command(update=update):
            return set() if isinstance(update, Command) else _keys(update)
        case BaseMessage():
            return set()
        case BaseModel():
            return set(part.model_fields_set)
        case Mapping():
            return {key for key in part if isinstance(key, str)}
        case _:
            return set()


def _goto(command: Command[Any]) -> list[str]:
    goals: Any = command.goto if isinstance(command.goto, (list, tuple)) else [command.goto]
    names = (goal.node if isinstance(goal, Send) else str(goal) for goal in goals)
    return [name for name in names if name != END]


def model_call(metadata: Mapping[str, Any] | None, fallback: str) -> tuple[str, Facts]:
    """The span's name, and the request's facts."""
    found = metadata or {}
    name = str(found.get("ls_model_name") or fallback)
    told: Facts = {"gen_ai.operation.name": "chat", "gen_ai.request.model": name}
    for theirs, ours, kind in (
        ("gen_ai.provider.name", "ls_provider", str), ("gen_ai.request.temperature", "ls_temperature", (int, float)),
        ("gen_ai.request.max_tokens", "ls_max_tokens", int),
    ):  # fmt: skip
        if isinstance(found.get(ours), kind):  # of another kind it is a caller's, and says what nobody knows
            told[theirs] = found[ours]
    return f"chat {name}", told


def answer(result: LLMResult, asked: Mapping[str, Any], price: Price | None) -> Facts:
    """Tokens, cost and how it ended; `asked` is what `model_call` told."""
    message = first_message(result)
    if message is None:
        return {}
    told: Facts = {}
    said = message.response_metadata
    if isinstance(reason := said.get("finish_reason") or said.get("stop_reason"), str):
        told["gen_ai.response.finish_reasons"] = [reason]
    if isinstance(model := said.get("model_name"), str):
        told["gen_ai.response.model"] = model
    usage = getattr(message, "usage_metadata", None)
    return {**told, **_tokens(usage, asked, price)} if usage else told


def first_message(result: LLMResult) -> BaseMessage | None:
    for choices in result.generations:
        for choice in choices:
            if isinstance(choice, ChatGeneration):
                return choice.message
    return None


def _tokens(usage: Mapping[str, Any], asked: Mapping[str, Any], price: Price | None) -> Facts:
    read, written = int(usage.get("input_tokens") or 0), int(usage.get("output_tokens") or 0)
    told: Facts = {"gen_ai.usage.input_tokens": read, "gen_ai.usage.output_tokens": written}
    cached = (usage.get("input_token_details") or {}).get("cache_read")
    if isinstance(cached, int):
        told["gen_ai.usage.cache_read.input_tokens"] = cached
    named = f"{asked.get('gen_ai.provider.name')}:{asked.get('gen_ai.request.model')}"
    if price and (costs := price(named)):
        told["stationmaster.usd"] = (read * costs["usd_in"] + written * costs["usd_out"]) / 1_000_000
    return told


def tool_call(name: str, call_id: object) -> tuple[str, Facts]:
    """The span's name, and which of the model's calls it is."""
    told: Facts = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name}
    if isinstance(call_id, str):
        told["gen_ai.tool.call.id"] = call_id
    return f"execute_tool {name}", told


def messages_said(messages: Sequence[BaseMessage]) -> str:
    """Messages as the conventions write them. Only where content was asked for."""
    said = [
        {
            "role": {"human": "user", "ai": "assistant"}.get(message.type, message.type),
            "parts": [{"type": "text", "content": message.text}],
            **({"tool_calls": calls} if (calls := getattr(message, "tool_calls", None)) else {}),
        }
        for message in messages
    ]
    return in_full(said)


def in_full(value: object) -> str:
    """Any value as text. Only where content was asked for."""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, default=str, ensure_ascii=False)
    except (RecursionError, TypeError, ValueError):
        return f"a {type(value).__name__} that can't be written as JSON"


def clean(told: Mapping[str, Any]) -> Facts:
    """Attributes that any collector takes: what one span holds must not cost the others of its batch.

    Text is cut after 8,000 characters, half a character (a lone surrogate) becomes `?`, a number is one of 64 bits.
    """
    return {name: _clean(value) for name, value in told.items()}


def _clean(value: Any) -> Any:
    match value:
        case str():
            return clean_text(value)
        case bool() | float():
            return value
        case int():
            return value if -(2**63) <= value < 2**63 else str(value)[:_LONGEST]
        case _:
            return [clean_text(str(part)) for part in value]


def clean_text(text: str) -> str:
    """As `clean` has it."""
    cut = text[:_LONGEST]
    return cut if cut.isascii() else cut.encode("utf-8", "replace").decode()

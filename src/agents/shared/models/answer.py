"""Judges what a model answered: usable, or what is wrong with it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.messages.ai import UsageMetadata
from pydantic import BaseModel, ValidationError

from agents.shared.limits import Usage
from agents.shared.offline import estimate_tokens


@dataclass(frozen=True)
class Answer:
    """What came back.

    `parsed` is the answer as the schema that was asked for. `problem` says why the answer is of no use (a
    refusal, nothing at all, a broken schema, cut off); asking the same again is no cure. `degraded` says
    which models were down before `model` answered. `usage` is ready for `add_usage`.
    """

    message: AIMessage
    model: str
    parsed: BaseModel | None = None
    problem: str | None = None
    degraded: tuple[str, ...] = ()
    usage: Usage = field(default_factory=dict)


def judge(message: AIMessage, schema: type[BaseModel] | None) -> tuple[BaseModel | None, str | None]:
    """(parsed, problem): at most one of them is set; both are None for a good text without a schema."""
    refusal = _refusal(message)
    if refusal:
        return None, f"the model refused: {refusal}"
    if schema is not None:
        return _parse(message, schema)
    if message.response_metadata.get("finish_reason") == "length":
        return None, "the answer was cut off at the token limit"
    if not message.text.strip() and not message.tool_calls:
        return None, "the answer is empty"
    return None, None


def with_usage(message: AIMessage, asked: Sequence[BaseMessage]) -> AIMessage:
    """The message with token counts; estimated, and marked so, where the provider reports none."""
    if message.usage_metadata is not None:
        return message
    prompt = sum(estimate_tokens(one) for one in asked)
    answer = estimate_tokens(message)
    usage = UsageMetadata(input_tokens=prompt, output_tokens=answer, total_tokens=prompt + answer)
    metadata = {**message.response_metadata, "usage_estimated": True}
    return message.model_copy(update={"usage_metadata": usage, "response_metadata": metadata})


def _refusal(message: AIMessage) -> str | None:
    refusal = message.additional_kwargs.get("refusal")
    if refusal:
        return str(refusal)
    reason = message.response_metadata.get("finish_reason") or message.response_metadata.get("stop_reason")
    reasons = {"content_filter": "its content filter stopped the answer", "refusal": "it gave no reason"}
    return reasons.get(str(reason))


def _parse(message: AIMessage, schema: type[BaseModel]) -> tuple[BaseModel | None, str | None]:
    for call in message.tool_calls:
        if call["name"] == schema.__name__:
            try:
                return schema.model_validate(call["args"]), None
            except ValidationError as exc:
                return None, f"the arguments of {schema.__name__} break its schema: {_in_short(exc)}"
    for broken in message.invalid_tool_calls:
        return None, f"the arguments of {broken['name']} are not JSON: {(broken['args'] or '')[:200]!r}"
    if message.tool_calls:
        return None, f"the model called {message.tool_calls[0]['name']} instead of {schema.__name__}"
    if not message.text.strip():
        return None, "the answer is empty"
    return None, f"the model answered in text instead of calling {schema.__name__}"


def _in_short(exc: ValidationError) -> str:
    return "; ".join(
        f"{'.'.join(str(part) for part in error['loc']) or 'the whole'}: {error['msg']}"
        for error in exc.errors(include_url=False, include_input=False)
    )

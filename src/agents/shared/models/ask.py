"""Puts a question to the first model that works: retried, behind a breaker, with fallbacks."""

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, cast

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage, convert_to_messages
from langchain_core.messages.utils import MessageLikeRepresentation
from langchain_core.runnables import Runnable
from pydantic import BaseModel

from agents.shared.limits import usage_of
from agents.shared.models.answer import Answer, judge, with_usage
from agents.shared.models.clients import TIMEOUT_S, chat_client, default_model
from agents.shared.models.failures import (
    ModelDown,
    ModelMisconfigured,
    ModelRejected,
    ModelUnavailable,
    translated,
)
from agents.shared.offline import OfflineChatModel, Rules
from agents.shared.resilience import RETRIES, BreakerOpen, Retries, breaker, retrying

_log = logging.getLogger(__name__)


async def ask(
    messages: Sequence[MessageLikeRepresentation],
    *,
    node: str,
    models: Sequence[str | None],
    rules: Rules,
    schema: type[BaseModel] | None = None,
    temperature: float = 0.0,
    max_tokens: int | None = None,
    timeout_s: float = TIMEOUT_S,
    retries: Retries = RETRIES,
) -> Answer:
    """The answer of the first of `models` that gives one; None among them means the default model.

    `node` is who asks, for the usage. With `schema` the model has to call a tool of that shape. `timeout_s`
    bounds each try as a whole. A refusal or a broken schema is an answer too: see `Answer.problem`.
    Raises ModelDown, with every reason, when all are down; a bug in the rules comes out as itself.
    """
    asked = convert_to_messages(messages)
    options: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "timeout_s": timeout_s}
    down: list[str] = []
    for name in dict.fromkeys(model or default_model() for model in models or [None]):
        try:
            message = await _ask_one(name, asked, schema, rules, retries, options)
        except (ModelUnavailable, ModelRejected, ModelMisconfigured, BreakerOpen) as exc:
            down.append(f"model {name} down: {exc}")
            _log.warning("%s asked in vain: %s", node, down[-1])
            continue
        message = with_usage(message, asked)
        parsed, problem = judge(message, schema)
        return Answer(
            message=message,
            model=name,
            parsed=parsed,
            problem=problem,
            degraded=tuple(f"{reason}; used {name}" for reason in down),
            usage=usage_of(node, name, message),
        )
    raise ModelDown(tuple(down))


async def _ask_one(
    name: str,
    messages: list[BaseMessage],
    schema: type[BaseModel] | None,
    rules: Rules,
    retries: Retries,
    options: dict[str, Any],
) -> AIMessage:
    model = await chat_client(name, rules=rules, **options)
    runnable: Runnable[LanguageModelInput, AIMessage] = model
    if schema is not None:
        runnable = model.bind_tools([schema], tool_choice=schema.__name__)
    if isinstance(model, OfflineChatModel):
        return cast("AIMessage", await runnable.ainvoke(messages))
    async for attempt in retrying(retries):
        with attempt:
            async with breaker(f"model:{name}"):
                return await _call(name, runnable, messages, options["timeout_s"])
    raise AssertionError("retrying ends with a result or an error")


async def _call(
    name: str,
    runnable: Runnable[LanguageModelInput, AIMessage],
    messages: list[BaseMessage],
    timeout_s: float,
) -> AIMessage:
    with translated(name):
        async with asyncio.timeout(timeout_s):
            message = cast("AIMessage", await runnable.ainvoke(messages))
    if message.response_metadata.get("model_provider") == "openai" and not _is_finished(message):
        raise ModelUnavailable(f"the answer of {name} broke off in the middle")
    return message


def _is_finished(message: AIMessage) -> bool:
    """A stream that just ends raises nothing: the missing finish_reason is the only trace of it."""
    return bool(message.response_metadata.get("finish_reason"))

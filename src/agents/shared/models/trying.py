"""Tries the models of an assistant in order: each one several times and behind its breaker, then the next."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage

from agents.shared.errors import in_full
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
T = TypeVar("T")


@dataclass(frozen=True)
class Tried(Generic[T]):
    """What `model` answered, and which models were down before it: ready for a state's `degraded`."""

    result: T
    model: str
    degraded: tuple[str, ...]


async def first_that_works(
    names: Sequence[str | None],
    call: Callable[[BaseChatModel], Awaitable[T]],
    *,
    node: str,
    message_of: Callable[[T], AIMessage],
    rules: Rules,
    temperature: float = 0.0,
    max_tokens: int | None = None,
    timeout_s: float | None = None,
    retries: Retries = RETRIES,
) -> Tried[T]:
    """The result of `call` with the first of the models that works; None among them means the default model.

    `timeout_s` (TIMEOUT_S) bounds each try as a whole; `node` is who asks, for the log. Raises ModelDown, with every
    reason, when all are down; a bug in the rules comes out as itself.
    """
    timeout_s = timeout_s or TIMEOUT_S
    options: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "timeout_s": timeout_s}
    down: list[str] = []
    for name in dict.fromkeys(model or default_model() for model in names or [None]):
        try:
            model = await chat_client(name, rules=rules, **options)
            if isinstance(model, OfflineChatModel):
                result = await call(model)
            else:
                result = await _ask_provider(
                    name, lambda model=model: call(model), message_of, timeout_s, retries
                )
        except (ModelUnavailable, ModelRejected, ModelMisconfigured, BreakerOpen) as exc:
            down.append(f"model {name} down: {exc}")
            _log.warning("%s asked %s in vain: %s", node, name, in_full(exc))
            continue
        return Tried(result, name, tuple(f"{reason}; used {name}" for reason in down))
    raise ModelDown(tuple(down))


async def _ask_provider(
    name: str,
    call: Callable[[], Awaitable[T]],
    message_of: Callable[[T], AIMessage],
    timeout_s: float,
    retries: Retries,
) -> T:
    async for attempt in retrying(retries):
        with attempt:
            async with breaker(f"model:{name}"):
                with translated(name):
                    async with asyncio.timeout(timeout_s):
                        result = await call()
                if not _is_finished(message_of(result)):
                    raise ModelUnavailable(f"the answer of {name} broke off in the middle")
                return result
    raise AssertionError("retrying ends with a result or an error")


def _is_finished(message: AIMessage) -> bool:
    """A stream that just ends raises nothing: the missing finish_reason is the only trace of it."""
    metadata = message.response_metadata
    return metadata.get("model_provider") != "openai" or bool(metadata.get("finish_reason"))

"""Builds chat models from their names, and keeps one client per event loop."""

import asyncio
import os
from typing import Any
from weakref import WeakKeyDictionary

import openai
from langchain.chat_models import init_chat_model
from langchain_core.language_models import BaseChatModel
from langchain_openai import ChatOpenAI

from agents.shared.models.failures import ModelMisconfigured
from agents.shared.offline import OFFLINE, OfflineChatModel, Rules

DEFAULT_OPENAI = "openai:gpt-4.1-mini"
TIMEOUT_S = 60.0
MAX_CLIENTS = 64  # of each loop; names and temperatures come from assistants, so there is no end to them
_Key = tuple[Any, ...]
# An HTTP client belongs to the loop that first used it: shared between loops it fails or hangs.
_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[_Key, BaseChatModel]] = WeakKeyDictionary()


def default_model() -> str:
    """The model when nobody chose one: OpenAI's with a key in OPENAI_API_KEY, else the offline rules."""
    return DEFAULT_OPENAI if os.environ.get("OPENAI_API_KEY") else OFFLINE


def chat_model(
    name: str | None,
    *,
    rules: Rules,
    temperature: float = 0.0,
    max_tokens: int | None = None,
    timeout_s: float = TIMEOUT_S,
) -> BaseChatModel:
    """A new model for "provider:model"; None means the default one.

    Reads files (certificates, the provider's package): inside a running graph use `chat_client`. Does not
    retry by itself: `retrying` and RETRY do. Raises ModelMisconfigured, which says what to set.
    """
    name = name or default_model()
    provider, _, model = name.partition(":")
    if not model:
        raise ModelMisconfigured(f"model {name!r}: write provider:model, for example {DEFAULT_OPENAI}")
    if provider == "offline":
        if name != OFFLINE:
            raise ModelMisconfigured(f"model {name!r}: the only offline model is {OFFLINE}")
        return OfflineChatModel(rules=rules)
    options: dict[str, Any] = {"temperature": temperature, "max_retries": 0, "timeout": timeout_s}
    if max_tokens is not None:
        options["max_tokens"] = max_tokens
    if provider == "openai":
        # With a number langchain-openai would share one HTTP client among all event loops.
        options |= {"timeout": openai.Timeout(timeout_s), "stream_usage": True}
    try:
        return init_chat_model(model, model_provider=provider, **options)
    except ImportError as exc:
        raise ModelMisconfigured(f"model {name!r}: {exc}") from exc
    except (ValueError, openai.OpenAIError) as exc:
        raise ModelMisconfigured(_what_is_missing(name, provider, exc)) from exc


async def chat_client(
    name: str | None,
    *,
    rules: Rules,
    temperature: float = 0.0,
    max_tokens: int | None = None,
    timeout_s: float = TIMEOUT_S,
) -> BaseChatModel:
    """As `chat_model`, built in a thread and kept for the running loop, so that connections are reused."""
    name = name or default_model()
    options: dict[str, Any] = {"temperature": temperature, "max_tokens": max_tokens, "timeout_s": timeout_s}
    if name.startswith("offline:"):
        return chat_model(name, rules=rules, **options)
    key = (name, *options.values(), os.environ.get("OPENAI_BASE_URL"), os.environ.get("OPENAI_API_KEY"))
    kept = _clients.setdefault(asyncio.get_running_loop(), {})
    client = kept.pop(key, None)
    if client is None:
        built = await asyncio.to_thread(_build_warm, name, rules, options)
        client = kept.pop(key, built)  # another task may have been faster: then its client is the one in use
    kept[key] = client  # now the newest
    if len(kept) > MAX_CLIENTS:
        del kept[next(iter(kept))]  # not closed: a call may be under way on it
    return client


async def close() -> None:
    """Close the HTTP clients of the running loop."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        if isinstance(client, ChatOpenAI):
            await client.root_async_client.close()


def _build_warm(name: str, rules: Rules, options: dict[str, Any]) -> BaseChatModel:
    client = chat_model(name, rules=rules, **options)
    if isinstance(client, ChatOpenAI):
        client.root_async_client.platform_headers()  # reads /etc on first use and keeps the result
    return client


def _what_is_missing(name: str, provider: str, exc: Exception) -> str:
    if provider == "openai" and not os.environ.get("OPENAI_API_KEY"):
        return f"model {name!r} needs OPENAI_API_KEY (any text, if OPENAI_BASE_URL asks for none); or use {OFFLINE}"
    return f"model {name!r}: {str(exc).splitlines()[0]}"

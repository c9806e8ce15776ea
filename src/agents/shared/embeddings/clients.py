"""Builds embedding models from their names, and keeps one client per event loop."""

import asyncio
import os
from typing import Any
from weakref import WeakKeyDictionary

import openai
from langchain.embeddings import init_embeddings
from langchain_core.embeddings import Embeddings
from langchain_openai import OpenAIEmbeddings

from agents.shared.embeddings.offline import OFFLINE_EMBEDDINGS, OfflineEmbeddings
from agents.shared.models import ModelMisconfigured

DEFAULT_OPENAI = "openai:text-embedding-3-small"
TIMEOUT_S = 20.0
MAX_CLIENTS = 16  # of each loop; names come from assistants, so there is no end to them
_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[tuple[Any, ...], Embeddings]] = (
    WeakKeyDictionary()
)


def default_embeddings() -> str:
    """The model when nobody chose one: OpenAI's with a key in OPENAI_API_KEY, else hashed n-grams."""
    return DEFAULT_OPENAI if os.environ.get("OPENAI_API_KEY") else OFFLINE_EMBEDDINGS


async def embeddings_client(name: str) -> Embeddings:
    """The model for "provider:model", built in a thread and kept for the running loop. Raises ModelMisconfigured."""
    if name.startswith("offline:"):
        return _built(name)
    key = (name, os.environ.get("OPENAI_BASE_URL"), os.environ.get("OPENAI_API_KEY"))
    kept = _clients.setdefault(asyncio.get_running_loop(), {})
    client = kept.pop(key, None)
    if client is None:
        built = await asyncio.to_thread(_built_warm, name)
        client = kept.pop(key, built)  # another task may have been faster: then its client is the one in use
    kept[key] = client
    if len(kept) > MAX_CLIENTS:
        del kept[next(iter(kept))]  # not closed: a call may be under way on it
    return client


async def close() -> None:
    """Close the HTTP clients of the running loop."""
    for client in _clients.pop(asyncio.get_running_loop(), {}).values():
        if isinstance(client, OpenAIEmbeddings):
            await _openai(client).close()


def _built_warm(name: str) -> Embeddings:
    client = _built(name)
    if isinstance(client, OpenAIEmbeddings):
        _openai(client).platform_headers()  # reads /etc on first use and keeps the result
    return client


def _openai(client: OpenAIEmbeddings) -> openai.AsyncOpenAI:
    return client.async_client._client  # noqa: SLF001 - LangChain keeps the resource alone


def _built(name: str) -> Embeddings:
    provider, _, model = name.partition(":")
    if not model:
        raise ModelMisconfigured(f"embeddings {name!r}: write provider:model, for example {DEFAULT_OPENAI}")
    if provider == "offline":
        if name != OFFLINE_EMBEDDINGS:
            raise ModelMisconfigured(f"embeddings {name!r}: the only offline ones are {OFFLINE_EMBEDDINGS}")
        return OfflineEmbeddings()
    options: dict[str, Any] = {}
    if provider == "openai":
        if not os.environ.get("OPENAI_API_KEY"):
            raise ModelMisconfigured(f"embeddings {name!r} need OPENAI_API_KEY; or use {OFFLINE_EMBEDDINGS}")
        # Its own count of tokens would load a vocabulary from the web, and send numbers instead of text.
        options = {
            "max_retries": 0, "request_timeout": openai.Timeout(TIMEOUT_S), "check_embedding_ctx_length": False,
        }  # fmt: skip
    try:
        return init_embeddings(model, provider=provider, **options)
    except (ImportError, ValueError, openai.OpenAIError) as exc:
        message = (
            f"embeddings {name!r} can't be had: see that the provider's package is installed and its key set"
        )
        raise ModelMisconfigured(message, detail=str(exc)) from exc

"""Asks an embedding model: in batches, retried, behind a breaker; what comes back is looked at before it is used."""

import asyncio
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_core.embeddings import Embeddings

from agents.shared import spending
from agents.shared.embeddings.clients import TIMEOUT_S, default_embeddings, embeddings_client
from agents.shared.embeddings.offline import OfflineEmbeddings
from agents.shared.limits import Usage, add_usage, used
from agents.shared.models import ModelUnavailable
from agents.shared.models.failures import translated
from agents.shared.offline import count_tokens
from agents.shared.resilience import RETRIES, Retries, breaker, retrying

BATCH = 64
LONGEST = 6_000
"""Characters of a text that a provider sees; models take about 8,000 tokens."""
MAX_DIMENSION = 4_096


@dataclass(frozen=True)
class Embedded:
    """The vectors of texts, in their order; all have `dimension` numbers. Only vectors of one model can be compared."""

    model: str
    dimension: int
    vectors: list[list[float]]
    usage: Usage = field(default_factory=dict)


async def embed(
    name: str | None, texts: Sequence[str], *, node: str = "embed", retries: Retries = RETRIES
) -> Embedded:
    """The vectors of at least one text by the model with this name; None means the default one.

    `node` is who asks, for the usage. Raises ModelMisconfigured, ModelRejected, ModelUnavailable (transient) and
    BreakerOpen. There is no fallback: vectors of another model could not be compared with those that are kept.
    """
    if not texts:
        raise ValueError("there is nothing to embed; hand over one text at least")
    name = name or default_embeddings()
    client = await embeddings_client(name)
    cut = [text[:LONGEST] or " " for text in texts]
    if isinstance(client, OfflineEmbeddings):
        vectors = await asyncio.to_thread(client.embed_documents, cut)
        return Embedded(name, _dimension(name, vectors, len(cut)), vectors)
    vectors, usage = list[list[float]](), Usage()
    for at in range(0, len(cut), BATCH):
        batch = cut[at : at + BATCH]
        vectors += await _asked(name, client, batch, retries)
        cost = used(node, name, tokens_in=sum(map(count_tokens, batch)))
        await spending.note(cost)
        usage = add_usage(usage, cost)
    return Embedded(name, _dimension(name, vectors, len(cut)), vectors, usage)


async def _asked(name: str, client: Embeddings, batch: list[str], retries: Retries) -> list[list[float]]:
    async for attempt in retrying(retries):
        with attempt:
            async with breaker(f"embeddings:{name}"):
                with translated(name):
                    async with asyncio.timeout(TIMEOUT_S):
                        vectors = await client.aembed_documents(batch)
                _dimension(name, vectors, len(batch))
                return vectors
    raise AssertionError("retrying ends with a result or an error")


def _dimension(name: str, vectors: object, wanted: int) -> int:
    """How many numbers each vector has. Raises ModelUnavailable for what can't be compared."""
    if not isinstance(vectors, list) or len(vectors) != wanted:
        raise ModelUnavailable(f"{name} did not give {wanted} vectors for {wanted} texts")
    lengths = {len(vector) if isinstance(vector, list) else 0 for vector in vectors}
    if len(lengths) != 1 or not 0 < min(lengths) <= MAX_DIMENSION:
        raise ModelUnavailable(f"{name} gave vectors of {sorted(lengths)} numbers")
    if not all(_is_direction(vector) for vector in vectors):
        raise ModelUnavailable(f"{name} gave a vector that points nowhere")
    return lengths.pop()


def _is_direction(vector: list[float]) -> bool:
    if not all(isinstance(value, int | float) and math.isfinite(value) for value in vector):
        return False
    return 1e-12 < math.fsum(value * value for value in vector) < 1e12

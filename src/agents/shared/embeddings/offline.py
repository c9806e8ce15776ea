"""Vectors without a provider: words and parts of words, hashed into a fixed number of places and counted.

What that can do: texts that share words, or words of one root ("cancel", "cancelling", "cancellation"), lie near each
other, and the same on every machine. What it can't: it knows no meaning. "Money back" and "refund" have nothing in
common here. For that, name a provider's model.
"""

import math
from collections import Counter
from collections.abc import Iterator
from zlib import crc32

from langchain_core.embeddings import Embeddings

from agents.shared.words import stem, telling

OFFLINE_EMBEDDINGS = "offline:ngrams"
DIMENSION = 384
_PART = 4
_WHOLE, _OF_PART = 1.0, 0.35


class OfflineEmbeddings(Embeddings):
    """Deterministic; blocks for about 0.1 ms a paragraph, so whole shelves belong into a thread."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Unit vectors; a text without a telling word gets the same one as every other such text."""
        return [_vector(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """As a document's: there is no difference."""
        return _vector(text)


def _vector(text: str) -> list[float]:
    places = [0.0] * DIMENSION
    for (feature, weight), count in Counter(_features(text)).items():
        hashed = crc32(feature.encode("utf-8", "ignore"))
        # The sign keeps features that meet in one place from always adding up.
        sign = 1.0 if hashed & 0x80000000 else -1.0
        places[hashed % DIMENSION] += sign * weight * (1.0 + math.log(count))
    length = math.sqrt(math.fsum(value * value for value in places))
    if not length:
        return [1.0] + [0.0] * (DIMENSION - 1)
    return [value / length for value in places]


def _features(text: str) -> Iterator[tuple[str, float]]:
    for word in telling(text):
        yield f"={stem(word)}", _WHOLE
        padded = f"^{word}$"
        for at in range(len(padded) - _PART + 1):
            yield padded[at : at + _PART], _OF_PART

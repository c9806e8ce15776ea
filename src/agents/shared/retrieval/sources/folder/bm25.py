"""Ranks pieces of text by the words that they share with a query: BM25, with its usual constants. Pure."""

import math
from collections.abc import Mapping, Sequence

K1, B = 1.2, 0.75


def scores(query: Sequence[str], texts: Sequence[Mapping[str, int]]) -> list[float]:
    """How well each text (how often each stem stands in it) answers the query's stems; 0 for one that shares none."""
    wanted = dict.fromkeys(query)
    lengths = [sum(text.values()) for text in texts]
    average = sum(lengths) / len(lengths) if texts else 0.0
    rarity = {stem: _rarity(sum(stem in text for text in texts), len(texts)) for stem in wanted}
    return [
        math.fsum(rarity[stem] * _weight(text[stem], length, average) for stem in wanted if stem in text)
        for text, length in zip(texts, lengths, strict=True)
    ]


def _rarity(having: int, of: int) -> float:
    return math.log(1 + (of - having + 0.5) / (having + 0.5))


def _weight(count: int, length: int, average: float) -> float:
    return count * (K1 + 1) / (count + K1 * (1 - B + B * length / average))

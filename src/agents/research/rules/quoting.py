"""An answer without a model: of the passages that share a question's words, the sentences that share most of them."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from agents.shared.words import stems

ENOUGH = 0.33
"""Share of the question's words, weighed by how rare they are, that a passage (with its title) has to have."""
RANK = 0.6
"""What it is worth to be found first, beside that share; second is worth half of it."""
BESIDE_THE_BEST = 0.8
"""A second passage has to be almost as good as the best one."""
A_QUESTION, A_PASSAGE = 2, 2
"""Passages for one sub-question, and sentences of one passage."""
LONGEST = 500
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[\"“(A-Z0-9])|\n+")


def quotes(facts: dict[str, Any]) -> list[dict[str, Any]]:
    """The arguments `claims` of the tool `Synthesis`; none where nothing fits."""
    passages = {passage["number"]: passage for passage in facts["passages"]}
    rarity = _rarity(passages.values())
    chosen: dict[str, set[int]] = {}
    for asked in facts["sub_questions"]:
        wanted = _weighed(asked["question"], rarity)
        for number in _best([passages[number] for number in asked["passages"]], wanted):
            for sentence in _telling(_sentences(passages[number]["text"]), wanted):
                chosen.setdefault(sentence, set()).add(number)
    return [{"text": text, "sources": sorted(numbers)} for text, numbers in chosen.items()]


def _best(passages: Sequence[dict[str, Any]], wanted: dict[str, float]) -> list[int]:
    worth: dict[int, float] = {}
    for rank, passage in enumerate(passages, 1):
        title, text = set(stems(passage["title"])), set(stems(passage["text"]))
        share = _share(wanted, text) + _share(wanted, title - text) / 2
        if share >= ENOUGH:
            worth[passage["number"]] = share + RANK / rank
    order = sorted(worth, key=lambda number: (-worth[number], number))[:A_QUESTION]
    return [number for number in order if worth[number] >= worth[order[0]] * BESIDE_THE_BEST]


def _telling(sentences: Sequence[str], wanted: dict[str, float]) -> list[str]:
    """The sentences that say most of what is wanted, in their order; the first where none says any of it."""
    shares = [_share(wanted, set(stems(sentence))) for sentence in sentences]
    most = max(shares, default=0.0)
    if not most:
        return list(sentences[:1])
    good = [
        sentence for sentence, share in zip(sentences, shares, strict=True) if share >= most * BESIDE_THE_BEST
    ]
    return good[:A_PASSAGE]


def _sentences(text: str) -> list[str]:
    """Whole sentences; headings and what is too long to quote are left out."""
    parts = (part.strip() for part in _SENTENCE.split(text))
    return [part for part in parts if 15 <= len(part) <= LONGEST and not part.startswith("#")]


def _rarity(passages: Iterable[dict[str, Any]]) -> dict[str, float]:
    texts = [set(stems(f"{passage['title']} {passage['text']}")) for passage in passages]
    having = Counter(stem for text in texts for stem in text)
    return {stem: math.log(1 + len(texts) / count) for stem, count in having.items()}


def _weighed(question: str, rarity: dict[str, float]) -> dict[str, float]:
    """The question's words with their weights; one that stands in no passage weighs as much as the rarest."""
    rarest = max(rarity.values(), default=1.0)
    return {stem: rarity.get(stem, rarest) for stem in set(stems(question))}


def _share(wanted: dict[str, float], had: set[str]) -> float:
    total = math.fsum(wanted.values())
    return math.fsum(weight for stem, weight in wanted.items() if stem in had) / total if total else 0.0

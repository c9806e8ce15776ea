"""The tone of a text by its words, with "not" before them heeded; quotes are the sentences that weigh most."""

import re
from typing import Any

_GOOD = re.compile(
    r"\b(?:good|great|excellent|happy|pleased|love\w*|thank\w*|recommend\w*|perfect\w*|helpful|friendly|best|delight\w+"
    r"|satisf(?:ied|ying)|wonderful|quick\w*|easy)\b",
    re.IGNORECASE,
)
_BAD = re.compile(
    r"\b(?:bad|terrible|awful|angry|disappoint\w+|unacceptable|complain\w*|worst|broken|never again|rude|late"
    r"|frustrat\w+|useless|poor|damaged|fail\w*|refuse\w*|wrong|unhappy|dissatisf\w+)\b",
    re.IGNORECASE,
)
_NOT = re.compile(r"(?:\bnot|\bno|\bnever|n't)(?:\s+\w+)?\s+$", re.IGNORECASE)
_SENTENCE = re.compile(r"[^.!?\n]{3,400}[.!?]?")


def judge(text: str) -> dict[str, Any]:
    """The arguments of the tool `Sentiment`."""
    weights = [(_weight(sentence), sentence.strip()) for sentence in _SENTENCE.findall(text)]
    good = sum(weight for weight, _ in weights if weight > 0)
    bad = -sum(weight for weight, _ in weights if weight < 0)
    score = round((good - bad) / (good + bad), 2) if good + bad else 0.0
    label = (
        "neutral"
        if not good + bad
        else "positive"
        if score > 0.33
        else "negative"
        if score < -0.33
        else "mixed"
    )
    strong = sorted((weighed for weighed in weights if weighed[0]), key=lambda weighed: -abs(weighed[0]))
    return {"label": label, "score": score, "reasons": [sentence[:160] for _, sentence in strong[:3]]}


def _weight(sentence: str) -> int:
    total = 0
    for pattern, worth in ((_GOOD, 1), (_BAD, -1)):
        for match in pattern.finditer(sentence):
            total += -worth if _NOT.search(sentence, max(0, match.start() - 24), match.start()) else worth
    return total

"""Search queries for the knowledge base: the matter's usual name, and the message's own keywords."""

from collections.abc import Sequence

from agents.support.rules.spelling import concept_of, everyday
from agents.support.rules.text import Text

_MOST, _KEYWORDS = 3, 5
_LONGEST = 30  # letters of a word; longer ones are no words
# Everyday words that a help article may well be about, all the same.
_TELLING = "online picture photo size number country allowed missing download fit"
# Concepts of how one asks, not of what about.
_MANNER = frozenset({"HELP", "SOME", "PERSON", "BACK", "UNHAPPY", "AWFUL", "NEWLY", "WRITE", "TALK"})
FALLBACK = "contact support"


def find_queries(text: Text, topics: Sequence[str]) -> list[str]:
    """One to three, distinct; `topics` come best first. Never the customer's whole text, unless it is one word."""
    keywords = _keywords(text)
    parts = [keywords]
    if len(keywords) > 1 and keywords == [word for word in text.words.split() if word.isalnum()]:
        parts = [keywords[:-1], keywords[1:]]  # nothing but keywords: all of them would be the whole text
    found = dict.fromkeys([*topics[: _MOST - 1], *(" ".join(part) for part in parts)])
    return [query for query in found if query][:_MOST] or [FALLBACK]


def _keywords(text: Text) -> list[str]:
    empty = everyday() - frozenset(_TELLING.split())
    words = [word for word in text.words.split() if word.isalpha() and 2 < len(word) < _LONGEST]
    words = [word for word in words if word not in empty and concept_of().get(word) not in _MANNER]
    return list(dict.fromkeys(words))[:_KEYWORDS]

"""The words of a text that say what it is about, cut to stems: for search and comparison without a model.

English alone has stop words and stems here; words of other languages stay as they are written.
"""

import re
from collections.abc import Iterator

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_EMPTY = frozenset(
    [
        "a",
        "about",
        "after",
        "all",
        "also",
        "am",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "because",
        "been",
        "before",
        "being",
        "but",
        "by",
        "can",
        "could",
        "did",
        "do",
        "does",
        "doing",
        "down",
        "for",
        "from",
        "get",
        "gets",
        "give",
        "had",
        "has",
        "have",
        "having",
        "he",
        "her",
        "here",
        "him",
        "his",
        "how",
        "i",
        "if",
        "in",
        "into",
        "is",
        "it",
        "its",
        "itself",
        "just",
        "let",
        "made",
        "make",
        "may",
        "me",
        "might",
        "more",
        "most",
        "much",
        "must",
        "my",
        "no",
        "nor",
        "not",
        "of",
        "off",
        "on",
        "once",
        "only",
        "or",
        "other",
        "our",
        "out",
        "over",
        "own",
        "please",
        "same",
        "she",
        "should",
        "so",
        "some",
        "such",
        "tell",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "they",
        "this",
        "those",
        "through",
        "to",
        "too",
        "under",
        "until",
        "up",
        "us",
        "very",
        "was",
        "we",
        "were",
        "what",
        "when",
        "where",
        "whether",
        "which",
        "while",
        "who",
        "whom",
        "whose",
        "why",
        "will",
        "with",
        "would",
        "you",
        "your",
    ]
)
_ENDINGS = (("ies", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("s", ""))
_LONGEST = 64


def words(text: str) -> Iterator[str]:
    """Its words in small letters, all of them."""
    for match in _WORD.finditer(text):
        yield match[0].casefold().replace("’", "'")[:_LONGEST]


def telling(text: str) -> list[str]:
    """Its words in order, without those that every text has."""
    return [word for word in words(text) if word.partition("'")[0] not in _EMPTY]


def stem(word: str) -> str:
    """A word without its ending: "deliveries" and "delivery" are one."""
    word = word.partition("'")[0]
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3 and not word.endswith("ss"):
            return word.removesuffix(ending) + instead
    return word


def stems(text: str) -> list[str]:
    """The stems of its telling words, in order."""
    return [stem(word) for word in telling(text)]

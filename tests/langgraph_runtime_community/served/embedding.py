"""An embedding that can be checked by hand: how often a, b, c and d occur in a text."""

from collections.abc import Sequence

LETTERS = "abcd"


def embed(texts: Sequence[str]) -> list[list[float]]:
    """One vector a text, never the zero vector."""
    return [[text.count(letter) + 0.01 for letter in LETTERS] for text in texts]

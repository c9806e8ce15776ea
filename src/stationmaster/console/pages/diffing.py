"""What was and what is, word by word, for two columns. Pure."""

import re
from difflib import SequenceMatcher

Parts = tuple[tuple[bool, str], ...]
"""Pieces of one side; True where the other side has something else."""

MOST_WORDS = 2_000
_WORDS = re.compile(r"\s+|[^\s]+")


def sides(before: str, after: str) -> tuple[Parts, Parts]:
    """The two texts in pieces that, joined, give them back. Very long ones differ as a whole."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    if len(old) > MOST_WORDS or len(new) > MOST_WORDS:
        return ((True, before),), ((True, after),)
    left: list[tuple[bool, str]] = []
    right: list[tuple[bool, str]] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        differs = kind != "equal"
        if a < b:
            left.append((differs, "".join(old[a:b])))
        if c < d:
            right.append((differs, "".join(new[c:d])))
    return tuple(left), tuple(right)

"""Misspelt words respelled to the nearest known word; run-together words split ("iwant" -> "i want")."""

from functools import cache, lru_cache

from agents.support.rules.lookalikes import LOOKALIKES
from agents.support.rules.vocabulary import CONCEPTS, EVERYDAY, PHRASES, SLANG

_SHORT, _LONG = 4, 8  # letters: from _SHORT one slip is forgiven, from _LONG two
_GLUED = frozenset({"i", "u", "a", "to", "an", "me", "my", "you", "the", "it", "do", "in", "of"})


@cache
def concept_of() -> dict[str, str]:
    """Word form -> concept name."""
    return {form: name for name, forms in CONCEPTS.items() for form in forms.split()}


@cache
def everyday() -> frozenset[str]:
    """Words that say how one asks, hardly ever about what."""
    return frozenset(EVERYDAY.split())


@cache
def known() -> frozenset[str]:
    """Words that are taken as they are."""
    phrase_words = {word for phrase in PHRASES for word in phrase.split()}
    return everyday() | frozenset(LOOKALIKES.split()) | concept_of().keys() | SLANG.keys() | phrase_words


@lru_cache(maxsize=4096)
def respell(word: str) -> str:
    """The word when known or hopeless, else the nearest known word, or two with a space between."""
    if word in known() or len(word) < _SHORT - 1 or len(word) > 24 or not word.isascii():
        return word
    return _swapped(word) or _split(word) or (_nearest(word) if len(word) >= _SHORT else None) or word


def _swapped(word: str) -> str | None:
    """Two neighbouring letters changed places: the commonest slip, safe in three-letter words too ("acn")."""
    for i in range(len(word) - 1):
        turned = word[:i] + word[i + 1] + word[i] + word[i + 2 :]
        if turned in known():
            return turned
    return None


def _split(word: str) -> str | None:
    for i in range(1, len(word)):
        left, right = word[:i], word[i:]
        glued = left in _GLUED or right in _GLUED or min(len(left), len(right)) >= _SHORT
        if glued and len(right) > 1 and left in known() and right in known():
            return f"{left} {right}"
    return None


def _nearest(word: str) -> str | None:
    """The known word with the fewest slips; ties go to the alphabetically first."""
    allowed = 2 if len(word) >= _LONG else 1
    near = {form for shorter in _without(word, allowed) for form in _index().get(shorter, ())}
    scored = [(distance(word, form), form) for form in near if form[0] == word[0] or form[:2] == word[1::-1]]
    best = min(scored, default=(allowed + 1, ""))
    return best[1] if best[0] <= allowed else None


@cache
def _index() -> dict[str, tuple[str, ...]]:
    """Known words by their spellings with a letter (long words: two) left out, as SymSpell does it."""
    index: dict[str, list[str]] = {}
    for form in concept_of().keys() | everyday():
        if len(form) >= _SHORT:
            for shorter in _without(form, 2 if len(form) >= _LONG else 1):
                index.setdefault(shorter, []).append(form)
    return {shorter: tuple(forms) for shorter, forms in index.items()}


def _without(word: str, letters: int) -> set[str]:
    found, edge = {word}, {word}
    for _ in range(letters):
        edge = {each[:i] + each[i + 1 :] for each in edge for i in range(len(each))}
        found |= edge
    return found


def distance(a: str, b: str) -> int:
    """Slips between two words: letters added, dropped, mistaken, or neighbours swapped."""
    before, last = list[int](), list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            cost = min(last[j] + 1, row[-1] + 1, last[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and y == a[i - 2]:
                cost = min(cost, before[j - 2] + 1)
            row.append(cost)
        before, last = last, row
    return last[-1]

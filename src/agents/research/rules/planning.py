"""Sub-questions without a model: a question is taken apart where it asks for a second thing."""

import re

from agents.shared.words import telling, words

_ASKS = r"(?:what|how|when|where|which|who|whom|whose|why|is|are|can|could|do|does|did|will|would|should|may|must)"
_APART = re.compile(
    rf"(?<=[?!;])\s+|\n+|(?<=[.])\s+(?=[A-Z])|\s*[,;]?\s+(?:and|but|or|also)\s+(?={_ASKS}\b)|,\s+(?={_ASKS}\b)",
    re.IGNORECASE,
)
_POINTS_BACK = frozenset("it that this they them these those its their".split())  # noqa: SIM905
MOST = 12


def sub_questions(question: str) -> list[str]:
    """One or more, in order, none twice; a part that says nothing by itself stays with the one before."""
    # Runs of white space would make the pattern try each of them against each.
    question = "\n".join(" ".join(line.split()) for line in question.splitlines())
    parts: list[str] = []
    begins = 0
    for at in [*_APART.finditer(question), None]:
        end, following = (at.start(), at.end()) if at else (len(question), len(question))
        rest = question[following:]
        if at is None or _stands_alone(rest[: _next(rest)]):
            parts.append(question[begins:end].strip(" ,;"))
            begins = following
    distinct = {" ".join(part.lower().split()): part for part in reversed(parts) if part}
    return list(reversed(distinct.values()))[:MOST] or [question]


def _next(rest: str) -> int:
    found = _APART.search(rest)
    return found.start() if found else len(rest)


def _stands_alone(part: str) -> bool:
    return bool(telling(part)) and not _POINTS_BACK & set(words(part))

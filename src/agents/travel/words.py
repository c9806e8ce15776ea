"""Words of a traveller that open a way by themselves: pure."""

import re

_LETS_GO = re.compile(
    r"\b(?:release|cancel|let (?:it|them) go|give (?:it|them) back|drop (?:it|the|my)|(?:don'?t|do not|no longer) "
    r"(?:need|want) (?:it|them|the|my))\b",
    re.IGNORECASE,
)
_NOT_YET = re.compile(
    r"\b(?:don'?t|do not|never|without|can(?: i|not|'t)|how|what|if|when)\b[^.!?]{0,40}\b(?:release|cancel)",
    re.IGNORECASE,
)

_YES = re.compile(
    r"^\W*(?:(?:yes|yeah|yep|yup|ok|okay|sure|fine|good|great|perfect|please|do|go|ahead|book|hold|reserve|take|confirm|"
    r"approve|agreed|approved|confirmed|deal|it|that|this|one|trip|the|for|me|us|now|sounds|looks|i|we|with|want)\W*)+$",
    re.IGNORECASE,
)
_AGREES = re.compile(
    r"\b(?:yes|yeah|yep|yup|ok|okay|sure|fine|good|great|perfect|ahead|book|hold|reserve|take|confirm|approve|agreed|approved|"
    r"confirmed|deal)\b",
    re.IGNORECASE,
)


def says_yes(text: str) -> bool:
    """Whether a message is a yes and nothing else."""
    return len(text) < 200 and bool(_YES.match(text) and _AGREES.search(text))


def lets_go(text: str) -> bool:
    """Whether the traveller asks that what is held be let go; a question about it is none."""
    return bool(_LETS_GO.search(text)) and not _NOT_YET.search(text)

"""Whether a line looks as if it held a secret: files are read by many, and copied to every server. Pure."""

import re
from collections.abc import Iterable, Iterator

_KINDS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern))
    for kind, pattern in (
        ("an OpenAI or Anthropic key", r"\bsk-(?!\.)[A-Za-z0-9_-]{20,}"),
        ("a LangSmith key", r"\blsv2_(?:pt|sk)_[0-9a-f]{16,}"),
        ("a GitHub token", r"\b(?:gh[pousr]_[A-Za-z0-9]{30,}|github_pat_[A-Za-z0-9_]{30,})"),
        ("a GitLab token", r"\bglpat-[A-Za-z0-9_-]{18,}"),
        ("an AWS key", r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b"),
        ("a Google key", r"\bAIza[0-9A-Za-z_-]{30,}"),
        ("a Slack token", r"\bxox[abeprs]-[A-Za-z0-9-]{10,}"),
        ("a Slack webhook", r"https://hooks\.slack\.com/services/T\w+/B\w+/\w{16,}"),
        ("a Stripe key", r"\b[sr]k_(?:live|test)_[A-Za-z0-9]{16,}"),
        ("a webhook secret", r"\bwhsec_[A-Za-z0-9+/=]{16,}"),
        ("a JSON web token", r"\beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}"),
        ("a private key", r"-----BEGIN [A-Z ]*PRIVATE KEY-----"),
        ("a password in a URL", r"\b[a-z][a-z0-9+.-]*://[^\s:/@]+:[^\s:/@{}$<>*]{3,}@"),
        (
            "a secret under a telling name",
            (
                r"(?i)\b[\w-]*(?:api[_-]?key|secret|passwd|password|access[_-]?token|auth[_-]?token)[\"']?\s*[:=]\s*"
                r"[\"']?(?=[^\s\"']*\d)(?=[^\s\"']*[A-Za-z])[A-Za-z0-9+/_.~-]{16,}"
            ),
        ),
    )
)


_TELLING = re.compile(
    r"(?i)(?:api[_-]?key|private[_-]?key|secret|passwd|password|passphrase|(?:access|auth|api|bearer|refresh)[_-]?token)$"
)
_SHORTEST = 6
HIDDEN = "(hidden)"


def hidden(text: str, secrets: Iterable[str] = ()) -> str:
    """The text without what looks like a secret, and without these ones."""
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    for _, pattern in _KINDS:
        text = pattern.sub(HIDDEN, text)
    return text


def telling(
    value: object, place: tuple[int | str, ...] = (), *, told: bool = False
) -> Iterator[tuple[tuple[int | str, ...], str]]:
    """Values under a name such as `password` that look like one, each with its place."""
    match value:
        case dict():
            for key, item in value.items():
                yield from telling(item, (*place, key), told=told or bool(_TELLING.search(str(key))))
        case list():
            for number, item in enumerate(value):
                yield from telling(item, (*place, number), told=told)
        case str() | int() if told and not isinstance(value, bool) and _like_one(str(value)):
            yield place, str(value)
        case _:
            return


def _like_one(text: str) -> bool:
    """Neither a word, nor a sentence, nor a place where one is put in."""
    plain = not re.search(r"[\s{}<>$]", text)
    return plain and len(text) >= _SHORTEST and not text.isalpha()


def secrets_in(text: str) -> Iterator[tuple[int, str]]:
    """Lines, counted from 1, each with what it seems to hold; the secret itself is never repeated."""
    for number, line in enumerate(text.splitlines(), start=1):
        for kind, pattern in _KINDS:
            if pattern.search(line):
                yield number, kind
                break

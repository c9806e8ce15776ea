"""Whether a line looks as if it held a secret: files are read by many, and copied to every server. Pure."""

import re
from collections.abc import Iterator

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


def secrets_in(text: str) -> Iterator[tuple[int, str]]:
    """Lines, counted from 1, each with what it seems to hold; the secret itself is never repeated."""
    for number, line in enumerate(text.splitlines(), start=1):
        for kind, pattern in _KINDS:
            if pattern.search(line):
                yield number, kind
                break

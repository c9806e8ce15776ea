"""What no document should carry out of the house: secrets, active content, hidden characters, orders to models."""

import re
from collections.abc import Iterator

from agents.document_review.finding import Severity, Span, apart

_SECRETS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("private_key", re.compile(r"-----BEGIN (?:[A-Z]{2,10} ){0,2}PRIVATE KEY-----")),
    ("cloud_key", re.compile(r"(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])")),
    ("access_token", re.compile(r"\bgh[pousr]_[A-Za-z0-9]{30,80}")),
    ("access_token", re.compile(r"\b(?:xox[abprs]-[A-Za-z0-9-]{10,80}|sk-[A-Za-z0-9_-]{20,100})")),
    ("signed_token", re.compile(r"\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,2000}\.[\w-]{8,500}")),
    (
        "password",
        re.compile(
            r"(?i)\b(?:password|passwd|pwd|secret|api[_-]?key|access[_-]?token)\b[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
            r"(?P<value>[^\s\"',;<>]{6,80})"
        ),
    ),
)  # fmt: skip
_ACTIVE: tuple[tuple[str, Severity, re.Pattern[str]], ...] = (
    ("script", "high", re.compile(r"(?i)<script\b|<iframe\b|\bjavascript:[^\s)]{1,200}")),
    ("script", "high", re.compile(r"(?i)<[a-z]{1,20}\s[^<>]{0,200}\bon[a-z]{3,20}\s?=")),
    ("hidden_characters", "medium", re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]{1,200}")),
    (
        "order_to_a_model",
        "medium",
        re.compile(
            r"(?i)\b(?:ignore|disregard|forget)\s{1,3}(?:all\s{1,3}|any\s{1,3})?(?:of\s{1,3})?(?:the\s{1,3}|your\s{1,3})?"
            r"(?:previous|prior|above|earlier)\s{1,3}(?:instructions|prompts|rules)\b"
        ),
    ),
)  # fmt: skip


def spans(text: str) -> list[Span]:
    """What was found in a text, in order, none over another."""
    return apart([*_secrets(text), *_active(text)])


def _secrets(text: str) -> Iterator[Span]:
    for kind, pattern in _SECRETS:
        group = "value" if "value" in pattern.groupindex else 0
        for match in pattern.finditer(text):
            yield Span(kind, "high", *match.span(group), f"{match[group][:2]}***")


def _active(text: str) -> Iterator[Span]:
    for kind, severity, pattern in _ACTIVE:
        for match in pattern.finditer(text):
            shown = f"{len(match[0])} of them" if kind == "hidden_characters" else match[0][:60]
            yield Span(kind, severity, *match.span(), shown)

"""What a document of a kind has to say, and what none may promise."""

import re
from collections.abc import Iterator, Mapping, Sequence

from agents.document_review.finding import Finding, Severity, Span

_RULES: Mapping[str, Sequence[tuple[str, Severity, str, str]]] = {
    "contract": [
        ("parties", "high", "who the parties are", r"\bbetween\b|\bparties\b"),
        ("date", "medium", "from when it holds", r"\beffective\b|\bdated?\b|\bas of\b"),
        ("termination", "medium", "how it ends", r"\bterminat|\bnotice period\b|\bexpir"),
        ("governing_law", "high", "which law governs it", r"\bgoverning law\b|\bgoverned by\b|\bjurisdiction\b"),
        ("liability", "medium", "who is liable for what", r"\bliab(?:le|ility)\b"),
        ("signature", "high", "a place to sign", r"\bsign(?:ed|ature)\b"),
    ],
    "invoice": [
        ("invoice_number", "high", "its number", r"\binvoice (?:no\.?|number|#)|\bINV-\w"),
        ("date", "medium", "its date", r"\bdated?\b|\b\d{4}-\d{2}-\d{2}\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"),
        ("tax_number", "high", "the seller's tax number", r"\bVAT\b|\btax (?:id|number)\b|\bEIN\b|\bGSTIN\b"),
        ("total", "high", "what is to be paid", r"\btotal\b|\bamount due\b|\bbalance due\b"),
    ],
    "policy": [
        ("controller", "high", "who is responsible", r"\bcontroller\b|\bcontact\b|\bresponsible\b"),
        ("purpose", "high", "what the data are for", r"\bpurposes?\b"),
        ("retention", "medium", "how long they are kept", r"\bretention\b|\bretain|\bdelet(?:e|ed|ion)\b"),
        ("rights", "high", "people's rights", r"\brights?\b"),
    ],
}  # fmt: skip
_REQUIRED: Mapping[str, Sequence[tuple[str, Severity, str, re.Pattern[str]]]] = {
    kind: [(name, severity, said, re.compile(text, re.IGNORECASE)) for name, severity, said, text in rules]
    for kind, rules in _RULES.items()
}
_FORBIDDEN = re.compile(
    r"(?i)\bguaranteed (?:returns?|profits?|income)\b|\brisk[- ]free\b|\bno risk\b|\bcannot lose\b"
)


def spans(text: str) -> list[Span]:
    """Promises in a text that nobody may make."""
    return [Span("forbidden_promise", "high", *match.span(), match[0]) for match in _FORBIDDEN.finditer(text)]


def missing(kind: str, texts: Sequence[str]) -> Iterator[Finding]:
    """What a document of this kind lacks, over all its pages."""
    for name, severity, said, pattern in _REQUIRED.get(kind, ()):
        if not any(pattern.search(text) for text in texts):
            yield Finding(f"missing_{name}", severity, f"it does not say {said}")

"""What a document is and what it holds, by the words that such documents use."""

import re
from typing import Any

_KINDS = {
    "invoice": r"\binvoice\b|\bamount due\b|\bbill to\b|\bsubtotal\b|\bpayment terms\b",
    "contract": r"\bagreement\b|\bcontract\b|\bhereinafter\b|\bparties\b|\bgoverning law\b|\bterminat\w+",
    "policy": r"\bpolicy\b|\bprivacy\b|\bpersonal data\b|\bretention\b|\bcontroller\b",
    "technical": r"\bconfig\w*\b|\bserver\b|\bAPI\b|\bdeploy\w*\b|```|\bpassword\b|\bpostgres\w*\b|\bSSH\b",
    "letter": r"\bdear\b|\bsincerely\b|\bregards\b|\byours\b",
}
_LABELS = {
    "opinion": r"\b(?:disappoint\w+|angry|terrible|awful|unacceptable|complain\w*|happy|great|excellent|love\w*"
    r"|thank\w*|recommend\w*|worst|best|frustrat\w+|refund)\b",
    "personal": r"\*\*\*|\bpersonal data\b|\bdate of birth\b|\bemployee\b|\bpatient\b",
    "technical": _KINDS["technical"],
    "legal": r"\b(?:shall|liab\w+|agreement|contract|governing law|invoice|VAT|warrant\w+|terms|policy|GDPR)\b",
}
_KIND_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _KINDS.items()}
_LABEL_PATTERNS = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _LABELS.items()}
ENOUGH = 2
"""One word is chance; two are a kind."""


def is_legal(text: str) -> bool:
    """Whether it uses the words of obligations."""
    return len(_LABEL_PATTERNS["legal"].findall(text)) >= ENOUGH


def classify(text: str) -> dict[str, Any]:
    """The arguments of the tool `Classification`."""
    counts = {name: len(pattern.findall(text)) for name, pattern in _KIND_PATTERNS.items()}
    kind = max(counts, key=lambda name: counts[name])
    labels = [name for name, pattern in _LABEL_PATTERNS.items() if len(pattern.findall(text)) >= ENOUGH]
    return {"kind": kind if counts[kind] >= ENOUGH else "other", "labels": labels}

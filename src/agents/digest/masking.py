"""Titles without what a report's readers need not have: it is mailed, and titles come from customers' words. Pure."""

import re

from agents.shared.figures import cards_in

_ACCOUNT = re.compile(
    r"\b(account|acct|iban)(\s+(?:no\.?|number)?\s*:?\s*)([^\s,;?][^,;?]{3,60})", re.IGNORECASE
)
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b")
_MAIL = re.compile(r"[^@\s<>()]{1,64}@([^@\s<>()]{1,255})")


def masked(title: str) -> str:
    """Of accounts and cards the last two characters are left, of mail addresses the host."""
    text = _ACCOUNT.sub(lambda found: f"{found[1]}{found[2]}{_end(found[3])}", title)
    text = _IBAN.sub(lambda found: _end(found[0]), text)
    for card in reversed(list(cards_in(text))):
        text = f"{text[: card.start()]}{_end(card[0])}{text[card.end() :]}"
    return _MAIL.sub(r"***@\1", text)


def _end(value: str) -> str:
    return f"***{value.strip()[-2:]}"

"""The output guardrail: what a reply must not say. Pure; it errs on the side of a person."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage

from agents.helpdesk.calls import RESOLUTION
from agents.shared.figures import as_number, cards_in, numbers_in
from agents.shared.shop.mail import SUPPORT_DESK

_INTERNALS = (
    re.compile(
        r"Traceback \(most recent call last\)|\bFile \"[^\"]+\", line \d+|\b[A-Z]\w+(Error|Exception)\b"
    ),
    re.compile(r"\b(sk|pk|lsv2|ghp)[-_][A-Za-z0-9_-]{12,}"),
    re.compile(r"\b(postgres(ql)?|https?)://\S*@", re.IGNORECASE),
    re.compile(
        r"\bselect\b.{1,200}\bfrom\b\s+\w+\.\w+|\bshop\.\w+_?\w*\b(?!@)(?<!shop\.example)", re.IGNORECASE
    ),
)
# Bounded, and from the start of a run of digits only: else a long text would hold up everybody for minutes.
_MAIL = re.compile(r"[^@\s<>()]{1,64}@[^@\s<>()]{1,255}\.\w{1,63}")
_MONEY = re.compile(
    r"(?:US)?\$\s?(\d[\d,]*(?:\.\d{1,2})?)|(?<![\d,])(\d[\d,]*(?:\.\d{1,2})?)\s?(?:USD|dollars?)\b"
)
_REFUNDED = re.compile(
    r"\b(?:have|has|was|been|is|are|were)\s+(?:now\s+|already\s+)?refunded\b|\bwe refunded\b|"
    r"\brefund (?:is|was|has been) (?:made|paid|done|processed|issued|completed)\b",
    re.IGNORECASE,
)
_NOT_REFUNDED = re.compile(
    r"\b(?:not|never|n't|nothing|can be|could be|will be)\b[^.!?]{0,40}\brefund", re.IGNORECASE
)


def objections(reply: str, messages: Sequence[AnyMessage], state: Mapping[str, Any]) -> list[str]:
    """Why the reply can't be sent as it is; empty when it can.

    `messages` are the conversation that it answers: an amount must stand there, in the customer's words or a tool's.
    """
    found: list[str] = []
    if any(pattern.search(reply) for pattern in _INTERNALS):
        found.append("it shows internals")
    if any(cards_in(reply)):
        found.append("it shows the number of a card")
    written = [message.text for message in messages if isinstance(message, HumanMessage)]
    known = {address.casefold() for text in written for address in _MAIL.findall(text)}
    shown = {address.rstrip(".").casefold() for address in _MAIL.findall(reply)}
    if shown - known - {SUPPORT_DESK}:
        found.append("it shows a mail address that the customer did not write")
    # Not of errors: they repeat what the model itself has asked for. Nor of its answer.
    results = [
        message for message in messages if isinstance(message, ToolMessage) and message.status != "error"
    ]
    told = [message.text for message in results if message.name != RESOLUTION]
    unknown = _amounts(reply) - numbers_in([*written, *told])
    if unknown:
        found.append(f"it names ${min(unknown)}, which no tool said")
    if _REFUNDED.search(reply) and not _NOT_REFUNDED.search(reply) and not _was_refunded(state):
        found.append("it says that money went back, and none did")
    return found


def _was_refunded(state: Mapping[str, Any]) -> bool:
    """In this request, or before it: an order that was looked up may have been refunded long ago."""
    orders = state.get("orders", {}).values()
    return bool(state.get("receipts")) or any(order["refunded_usd"] > 0 for order in orders)


def _amounts(text: str) -> set[float]:
    return {as_number(match.group(1) or match.group(2)) for match in _MONEY.finditer(text)}

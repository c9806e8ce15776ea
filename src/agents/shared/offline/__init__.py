"""A chat model without a provider: it answers from written rules, and says that it does."""

from agents.shared.offline.model import OFFLINE, OfflineChatModel
from agents.shared.offline.request import Reply, Request, Rules, request_of
from agents.shared.offline.tokens import count_tokens, estimate_tokens

__all__ = [
    "OFFLINE",
    "OfflineChatModel",
    "Reply",
    "Request",
    "Rules",
    "count_tokens",
    "estimate_tokens",
    "request_of",
]

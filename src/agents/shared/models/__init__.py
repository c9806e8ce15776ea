"""Chat models by "provider:model" name: `ask` puts a question to the first one that works."""

from agents.shared.models.answer import Answer
from agents.shared.models.ask import ask
from agents.shared.models.clients import chat_client, chat_model, close, default_model
from agents.shared.models.failures import (
    ModelDown,
    ModelMisconfigured,
    ModelRejected,
    ModelUnavailable,
)

__all__ = [
    "Answer",
    "ModelDown",
    "ModelMisconfigured",
    "ModelRejected",
    "ModelUnavailable",
    "ask",
    "chat_client",
    "chat_model",
    "close",
    "default_model",
]

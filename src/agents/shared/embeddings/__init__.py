"""Texts as vectors, by "provider:model" name: `embed` asks the provider, or counts n-grams without one."""

from agents.shared.embeddings.clients import close, default_embeddings
from agents.shared.embeddings.embed import Embedded, embed
from agents.shared.embeddings.offline import OFFLINE_EMBEDDINGS, OfflineEmbeddings

__all__ = ["OFFLINE_EMBEDDINGS", "Embedded", "OfflineEmbeddings", "close", "default_embeddings", "embed"]

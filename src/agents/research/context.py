"""What an assistant can set: the server draws its form from these fields and their descriptions."""

from pydantic import Field

from agents.research.prompts import SYSTEM_PROMPT
from agents.shared.context import MaxCostUsd, MaxTurns, ModelContext
from agents.shared.retrieval.passages import SOURCES, Source

RECURSION_LIMIT = 30
"""Super-steps of one run. The net below all other limits: the longest way has nine."""
MAX_ROUNDS = 2
"""How often a sub-question is looked into; the second time with wider searches."""
MAX_QUESTION = 4_000
"""Characters."""


class Context(ModelContext):
    """Settings of the research; what is left out keeps its default."""

    model: str | None = Field(
        default=None,
        description="The chat model that plans, searches and writes, as `provider:model`. Empty: OpenAI's when a key "
        "is set, else offline:rules, which quotes the sentences that fit best.",
        examples=["openai:gpt-4.1", "offline:rules"],
    )
    system_prompt: str = Field(
        default=SYSTEM_PROMPT,
        min_length=1,
        description="Who the research is for and how answers should sound.",
    )
    sources: list[Source] = Field(
        default=list(SOURCES),
        description="Where to look: help articles by words, by meaning (vectors), a folder of documents, the web. One "
        "that is not set up here is left out.",
    )
    embeddings: str | None = Field(
        default=None,
        description="The embedding model for searching by meaning, as `provider:model`. Empty: OpenAI's when a key is "
        "set, else offline:ngrams, which knows spellings and no meanings.",
        examples=["openai:text-embedding-3-small", "offline:ngrams"],
    )
    folder: str = Field(
        default="",
        pattern=r"^([^/.\\][^/\\]*(/[^/.\\][^/\\]*)*)?$",
        description="A part of the tenant's folder, such as handbooks/garden; empty: all of it.",
    )
    max_sub_questions: int = Field(
        default=5, ge=1, le=12, description="Into how many questions one is taken apart."
    )
    max_searches: int = Field(
        default=60,
        ge=1,
        le=500,
        description="Searches for one question, all sources together; what is left then is named as open.",
    )
    max_passages: int = Field(
        default=20, ge=1, le=50, description="Passages that the answer is written from."
    )
    max_tokens: int = Field(
        default=100_000,
        ge=1_000,
        description="Tokens for one question; above it the written rules finish the work.",
    )
    cache_minutes: int = Field(
        default=60,
        ge=0,
        le=7 * 24 * 60,
        description="How long what the web answered is used again for the same search; 0 asks anew each time.",
    )
    max_turns: MaxTurns = 20
    max_cost_usd: MaxCostUsd = 5.0

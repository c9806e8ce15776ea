"""What an assistant can set: the server draws its form from these fields and their descriptions."""

from pydantic import Field

from agents.document_review.prompts import SYSTEM_PROMPT
from agents.shared.context import ModelContext

RECURSION_LIMIT = 40
"""Super-steps of one run. The net below all other limits: the longest way has ten."""


class Context(ModelContext):
    """Settings of the document review; what is left out keeps its default."""

    model: str | None = Field(
        default=None,
        description="The chat model that classifies and judges the tone, as `provider:model`. Empty: OpenAI's when a "
        "key is set, else offline:rules. It only ever sees text in which personal data are masked.",
        examples=["openai:gpt-4.1-mini", "offline:rules"],
    )
    system_prompt: str = Field(
        default=SYSTEM_PROMPT, min_length=1, description="How the model should read documents."
    )
    max_pages: int = Field(
        default=500, ge=1, le=1_000, description="Pages of a document that are read; a longer one is refused."
    )
    excerpt_characters: int = Field(
        default=6_000, ge=500, le=50_000, description="How much of a document the model sees."
    )

"""What an assistant can set: the server draws its form from these fields and their descriptions."""

from langgraph.runtime import Runtime
from pydantic import BaseModel, ConfigDict, Field

from agents.document_review.prompts import SYSTEM_PROMPT
from agents.shared.models import default_model

RECURSION_LIMIT = 40
"""Super-steps of one run. The net below all other limits: the longest way has ten."""


class Context(BaseModel):
    """Settings of the document review; what is left out keeps its default."""

    model_config = ConfigDict(extra="forbid")

    model: str | None = Field(
        default=None,
        description="The chat model that classifies and judges the tone, as `provider:model`. Empty: OpenAI's when a "
        "key is set, else offline:rules. It only ever sees text in which personal data are masked.",
        examples=["openai:gpt-4.1-mini", "offline:rules"],
    )
    fallback_model: str | None = Field(
        default=None,
        description="The model to use while the first one is down. Below it there are always the written rules.",
        examples=["openai:gpt-4.1-nano"],
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

    @classmethod
    def of(cls, runtime: Runtime["Context"]) -> "Context":
        """The run's settings; the defaults when a caller in process gives none (LangGraph then has None)."""
        return runtime.context or cls()

    def models(self) -> tuple[str, ...]:
        """Names of the models to try, best first; the written rules are the last rung."""
        chosen = [self.model or default_model(), self.fallback_model, "offline:rules"]
        return tuple(dict.fromkeys(name for name in chosen if name))

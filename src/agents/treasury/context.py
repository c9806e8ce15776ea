"""What an assistant can set: the server draws its form from these fields and their descriptions."""

from pydantic import Field

from agents.shared.context import ModelContext
from agents.treasury.prompts import SYSTEM_PROMPT

RECURSION_LIMIT = 80
"""Super-steps of one run. The net below all other limits: no way through the graph is half as long."""


class Context(ModelContext):
    """Settings of the treasury graph; what is left out keeps its default."""

    model: str | None = Field(
        default=None,
        description="The chat model that reads requests, as `provider:model`. Empty: OpenAI's when a key is set, else "
        "offline:rules, which reads by written rules. No model has a say in what is checked, signed or paid.",
        examples=["openai:gpt-4.1-mini", "offline:rules"],
    )
    system_prompt: str = Field(
        default=SYSTEM_PROMPT, min_length=1, description="How the model should read requests."
    )
    signature_above_usd: float = Field(
        default=5_000.0,
        ge=0.0,
        le=5_000.0,
        description="Above this amount a compliance officer signs. An assistant can only be stricter than the tenant's "
        "limits, which are in the database.",
    )
    two_above_usd: float = Field(
        default=10_000.0,
        ge=0.0,
        le=10_000.0,
        description="Above this amount two different people sign; again, only ever stricter.",
    )
    max_turns: int = Field(
        default=50, ge=1, le=1_000, description="Requests on one thread; the next one is refused politely."
    )
    max_cost_usd: float = Field(
        default=5.0,
        gt=0.0,
        description="Model cost of one thread in USD; above it requests are refused politely.",
    )

"""What an assistant can set: the server draws its form from these fields and their descriptions."""

from pydantic import Field

from agents.shared.context import MaxCostUsd, MaxTurns, ModelContext
from agents.sql_operator.prompts import SYSTEM_PROMPT

RECURSION_LIMIT = 60
"""Super-steps. The net below all other limits: reaching it is a bug."""
MAX_REPAIRS = 2
"""How often a statement that can't be used is written anew before somebody says otherwise."""
MAX_REPLANS = 5
"""How often a person may send a statement back."""


class Context(ModelContext):
    """Settings of the SQL operator's graph; what is left out keeps its default."""

    model: str | None = Field(
        default=None,
        description="The chat model as `provider:model`, such as openai:gpt-4.1-mini. Empty: OpenAI's when a key is "
        "set, else offline:rules, which writes statements from written rules.",
        examples=["openai:gpt-4.1-mini", "offline:rules"],
    )
    temperature: float = Field(
        default=0.0,
        ge=0.0,
        le=2.0,
        description="0 writes the same statement each time.",
    )
    system_prompt: str = Field(
        default=SYSTEM_PROMPT,
        min_length=1,
        description="Who writes the statements and how; the tables and the rules are added to it.",
    )
    timeout_s: float = Field(
        default=5.0,
        gt=0.0,
        le=30.0,
        description="Seconds that a statement may take; a longer one is ended by the database.",
    )
    row_limit: int = Field(
        default=100, ge=1, le=1_000, description="Rows of an answer; there may be more, and then it says so."
    )
    allow_writes: bool = Field(
        default=True,
        description="Whether a permitted UPDATE or INSERT may be proposed at all. A person is asked in any case.",
    )
    max_changed_rows: int = Field(
        default=50, ge=1, le=1_000, description="Rows that one write may change; one for more is refused."
    )
    max_turns: MaxTurns = 50
    max_cost_usd: MaxCostUsd = 5.0

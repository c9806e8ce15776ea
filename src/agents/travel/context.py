"""What an assistant can set: the server draws its form from these fields and their descriptions."""

from typing import Any

from pydantic import Field

from agents.shared.context import MaxCostUsd, MaxTurns, ModelContext, Temperature
from agents.shared.models.agent import Chosen
from agents.travel.prompts import SYSTEM_PROMPT

WINDOW_TOKENS = 8_000
"""How much of the conversation a peer sees."""
MAX_IDLE_HANDOFFS = 3
"""So many hand-offs in a row in which nobody did anything else end the request."""
MAX_ASKED = 6
"""So many questions of one request may come to nothing."""
MAX_LOSSES = 3
"""So often seats may be gone after the yes before the request ends."""
RECURSION_LIMIT = 300
"""Super-steps, of the graph and of each peer; the net below all other limits, which count hand-offs and model calls."""


class Context(ModelContext):
    """Settings of the travel graph; what is left out keeps its default."""

    model: str | None = Field(
        default=None,
        description="The chat model of all peers as `provider:model`. Empty: OpenAI's when a key is set, else "
        "offline:rules, which answers from written rules.",
        examples=["openai:gpt-4.1-mini", "offline:rules"],
    )
    temperature: Temperature = 0.0
    system_prompt: str = Field(
        default=SYSTEM_PROMPT,
        min_length=1,
        description="Who the peers are and how they should behave; what each of them does is added to it.",
    )
    hold_minutes: int = Field(
        default=30,
        ge=1,
        le=1_440,
        description="How long a trip is held after the traveller's yes; then its seats and rooms are free again.",
    )
    max_holds: int | None = Field(
        default=None,
        ge=1,
        le=100,
        description="How many trips one traveller may have held at once, on all threads together. It can lower what "
        "the tenant's row in travel.limits allows, and not raise it. Empty: as many as that.",
    )
    timezone: str = Field(
        default="UTC",
        min_length=1,
        description="The time zone in which `today` and `tomorrow` are read while it is not known where a trip begins, "
        "such as Europe/Berlin; then they are read by that place's clock.",
    )
    max_date_tries: int = Field(
        default=3,
        ge=0,
        le=3,
        description="How often other dates are tried when nothing fits; then the traveller is told what there is.",
    )
    max_handoffs: int = Field(
        default=12,
        ge=2,
        le=30,
        description="Hand-offs between the peers for one request; at the ceiling it ends with what was found.",
    )
    max_model_calls: int = Field(
        default=30,
        ge=4,
        le=60,
        description="Model calls of all peers for one request; the last one has to answer.",
    )
    max_turns: MaxTurns = 50
    max_cost_usd: MaxCostUsd = 5.0


def chosen(runtime: Any) -> Chosen:
    """The models of the run."""
    context = Context.of(runtime)
    return Chosen(context.models(), context.temperature)

"""What an assistant can set: the server draws its form from these fields and their descriptions."""

from typing import Any

from pydantic import Field

from agents.helpdesk.prompts import SYSTEM_PROMPT
from agents.helpdesk.state import ApprovalMode
from agents.shared.context import MaxCostUsd, MaxTurns, ModelContext, Temperature
from agents.shared.models.agent import Chosen

WINDOW_TOKENS = 8_000
"""How much of the conversation a model sees."""
SUMMARISE_ABOVE = 24
"""Messages, tool results among them; a longer conversation is summarised..."""
KEEP_MESSAGES = 12
"""...and this many of the newest stay as they are."""
RECURSION_LIMIT = 100
"""Super-steps. The net below all other limits: ten model calls, each with six hooks and its tools, take 72."""
WINDOW_CALLS = 5
"""Among so many of the newest tool calls a repeated one is noticed."""


class Context(ModelContext):
    """Settings of the helpdesk; what is left out keeps its default."""

    model: str | None = Field(
        default=None,
        description="The chat model as `provider:model`, such as openai:gpt-4.1-mini. Empty: OpenAI's when a key is "
        "set, else offline:rules, which answers from written rules.",
        examples=["openai:gpt-4.1-mini", "offline:rules"],
    )
    temperature: Temperature = 0.0
    system_prompt: str = Field(
        default=SYSTEM_PROMPT,
        min_length=1,
        description="Who the agent is and how it should behave; the rules for its tools are added to it.",
    )
    approval_mode: ApprovalMode = Field(
        default="batched",
        description="How a person is asked about refunds. batched: one question with all refunds of a step. "
        "per_call: a question for each, answered in any order. No refund is made without an answer.",
    )
    max_model_calls: int = Field(
        default=3,
        ge=1,
        le=10,
        description="Model calls for one request, pauses included; the last one has to answer or hand over.",
    )
    max_calls_per_tool: int = Field(
        default=5, ge=1, le=50, description="Calls of one tool for one request; further ones are refused."
    )
    price_checks_per_minute: int = Field(
        default=60,
        ge=1,
        le=6_000,
        description="Price checks of all threads together, never more than helpdesk.paces says (600). Those that "
        "come too fast wait, up to two seconds.",
    )
    max_turns: MaxTurns = 50
    max_cost_usd: MaxCostUsd = 5.0


def chosen(runtime: Any) -> Chosen:
    """The models of the run."""
    context = Context.of(runtime)
    return Chosen(context.models(), context.temperature)

"""What an assistant can set: the server draws its form from these fields and their descriptions."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from agents.shared.context import FallbackModel, GraphContext, MaxCostUsd, MaxTurns, Temperature, rungs
from agents.support.prompts import SYSTEM_PROMPT
from agents.support.state import TOOLS, Tool

WINDOW_TOKENS = 8_000
"""How much of the conversation a model sees, besides the summary and the facts."""
SUMMARISE_ABOVE = 20
"""Messages; a longer conversation is summarised..."""
KEEP_MESSAGES = 10
"""...and this many of the newest stay as they are."""
RECURSION_LIMIT = 40
"""Super-steps. The net below all other limits: reaching it is a bug, and counted as one."""
MAX_ANSWERS = 5
"""How often a reviewer's answer may be sent back before the request goes to the dead letters."""


Role = Literal["classify", "draft", "summarize"]


class Models(BaseModel):
    """A model of its own for a role; a role that is left out uses `model`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    classify: str | None = Field(
        default=None,
        description="Reads messages: what is asked, order number, what to search for. A small one does.",
        examples=["openai:gpt-4.1-nano"],
    )
    draft: str | None = Field(
        default=None, description="Writes the replies to customers.", examples=["openai:gpt-4.1"]
    )
    summarize: str | None = Field(
        default=None, description="Shortens long conversations.", examples=["openai:gpt-4.1-nano"]
    )


class Flags(BaseModel):
    """Switches; each is on unless it says otherwise."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    acknowledge: bool = Field(
        default=True,
        description="Mail the customer that a refund is being reviewed, before it waits for a person.",
    )
    mail_reply: bool = Field(
        default=True,
        description="Mail replies to the customer of the order too. Off: they stand in the conversation alone.",
    )


class Context(GraphContext):
    """Settings of the support graph; what is left out keeps its default."""

    model: str | None = Field(
        default=None,
        description="The chat model as `provider:model`, such as openai:gpt-4.1-mini. Empty: OpenAI's when a key is "
        "set, else offline:rules, which answers from written rules.",
        examples=["openai:gpt-4.1-mini", "offline:rules"],
    )
    models: Models = Field(
        default=Models(),
        description="A model of its own for a role, instead of `model`; all of them fall back alike.",
    )
    fallback_model: FallbackModel = None
    temperature: Temperature = 0.0
    system_prompt: str = Field(
        default=SYSTEM_PROMPT,
        min_length=1,
        description="Who the agent is and how it should behave; facts and task are added to it.",
    )
    tone: Literal["friendly", "formal", "brief"] = Field(
        default="friendly", description="How replies to customers sound."
    )
    approval_threshold_usd: float = Field(
        default=500.0,
        ge=0.0,
        description="A refund above this amount waits for a person; 0 makes every refund wait.",
    )
    enabled_tools: list[Tool] = Field(
        default=list(TOOLS),
        description="What it may do. Without `lookup_order` it reads no orders, without `refund` it pays nothing back, "
        "without `search_kb` it answers no questions: the support desk gets such requests.",
    )
    article_search: Literal["words", "words_and_meaning"] = Field(
        default="words",
        description="How questions search the help articles. By meaning too (vectors) finds what is worded otherwise, "
        "and takes a little longer.",
    )
    flags: Flags = Field(default=Flags(), description="Switches.")
    max_turns: MaxTurns = 50
    max_cost_usd: MaxCostUsd = 5.0

    @property
    def off(self) -> list[str]:
        """The tools that are not enabled, and the flags that are off, by name."""
        tools = [tool for tool in TOOLS if tool not in self.enabled_tools]
        return [*tools, *(name for name, on in self.flags.model_dump().items() if not on)]

    def models_for(self, role: Role) -> tuple[str, ...]:
        """Names of the models to try for a role, best first; the written rules are the last rung."""
        own: str | None = getattr(self.models, role)
        return rungs(own or self.model, self.fallback_model)

"""What an assistant can set: the server draws its form from these fields and their descriptions."""

from typing import Annotated

from pydantic import Field

from agents.digest.prompts import SYSTEM_PROMPT
from agents.digest.slots import Span
from agents.shared.context import FallbackModel, GraphContext, rungs
from agents.shared.shop import SUPPORT_DESK

RECURSION_LIMIT = 20
"""Super-steps; a digest takes six."""


class Context(GraphContext):
    """Settings of the digest; what is left out keeps its default."""

    name: str = Field(
        default="daily",
        min_length=1,
        max_length=100,
        description="Which digest it is: each name has its own slots and its own last time.",
    )
    span: Span = Field(default="day", description="How long one slot is, and the first report's time.")
    day_starts: str = Field(
        default="07:00",
        pattern=r"^([01]\d|2[0-3]):[0-5]\d$",
        description="When a day's or a week's slot ends: the cron's time of day. Weeks end on Mondays.",
    )
    timezone: str = Field(
        default="Europe/London",
        min_length=1,
        description="The time zone of `day_starts`, such as Europe/Berlin.",
    )
    recipients: list[Annotated[str, Field(pattern=r"^[^@\s]+@[^@\s]+$")]] = Field(
        default=[SUPPORT_DESK],
        max_length=20,
        description="Mail addresses that get each report once; none: it is kept and not mailed.",
    )
    model: str | None = Field(
        default=None,
        description="The chat model that writes the first sentence, as `provider:model`. Empty: OpenAI's when a key is "
        "set, else offline:rules. All figures are counted, never written by a model.",
        examples=["openai:gpt-4.1-nano", "offline:rules"],
    )
    fallback_model: FallbackModel = None
    system_prompt: str = Field(
        default=SYSTEM_PROMPT, min_length=1, description="How the first sentence should be written."
    )

    def models(self) -> tuple[str, ...]:
        """Names of the models to try, best first; the written rules are the last rung."""
        return rungs(self.model, self.fallback_model)

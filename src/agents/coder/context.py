"""What an assistant can set: the server draws its form from these fields and their descriptions."""

from pydantic import Field

from agents.coder.prompts import SYSTEM_PROMPT
from agents.shared.context import MaxCostUsd, MaxTurns, ModelContext
from agents.shared.sandbox.runner import Limits

RECURSION_LIMIT = 60
"""Super-steps. The net below all other limits: reaching it is a bug."""
MAX_ADVICE = 3
"""How often a person may advise on one task."""
FILE_MB = 8


class Context(ModelContext):
    """Settings of the coder's graph; what is left out keeps its default."""

    model: str | None = Field(
        default=None,
        description="The chat model as `provider:model`, such as openai:gpt-4.1-mini. Empty: OpenAI's when a key is "
        "set, else offline:rules, which knows a handful of tasks by heart.",
        examples=["openai:gpt-4.1-mini", "offline:rules"],
    )
    temperature: float = Field(
        default=0.0, ge=0.0, le=2.0, description="0 writes the same code each time; higher values vary it."
    )
    system_prompt: str = Field(
        default=SYSTEM_PROMPT,
        min_length=1,
        description="Who writes the code and how; task, tests and what failed are added to it.",
    )
    max_rounds: int = Field(
        default=3, ge=1, le=3, description="Attempts before a person is asked, and again after each advice."
    )
    ask_person: bool = Field(
        default=True,
        description="Whether a person may advise, accept or stop when the rounds are used up. Otherwise the task ends "
        "as failed, with the best attempt and the log.",
    )
    time_s: float = Field(
        default=10.0, gt=0.0, le=30.0, description="Seconds that the tests of one attempt may take."
    )
    cpu_s: int = Field(default=5, ge=1, le=20, description="Seconds of computing that they may take.")
    memory_mb: int = Field(
        default=512, ge=64, le=2_048, description="Megabytes of address space that they may take."
    )
    max_turns: MaxTurns = 20
    max_cost_usd: MaxCostUsd = 5.0

    def limits(self) -> Limits:
        """What the tests of one attempt may take."""
        return Limits(time_s=self.time_s, cpu_s=self.cpu_s, memory_mb=self.memory_mb, file_mb=FILE_MB)

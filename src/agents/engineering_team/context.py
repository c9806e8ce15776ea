"""What an assistant can set: the server draws its form from these fields and their descriptions."""

from typing import Any

from pydantic import Field

from agents.engineering_team import prompts
from agents.shared.context import MaxTurns, ModelContext
from agents.shared.models.agent import Chosen
from agents.shared.sandbox.runner import Limits

RECURSION_LIMIT = 80
"""Super-steps. The net below all other limits: twenty hand-offs with their decisions take fewer."""
WORKER_RECURSION_LIMIT = 60
"""The same within a worker, whatever the caller has set for the whole."""
STEPS_TO_END = 5
"""So many super-steps are kept: a worker, the decision behind it, and a graceful end."""
MAX_IDLE = 2
"""So many hand-offs in a row may bring nothing new."""
MAX_REPEATS = 2
"""So many decisions in a row may repeat a hand-off, or name one that can't be."""
MAX_ADVICE = 2
"""How often a person may send the work back."""


def _prompt(default: str, who: str) -> Any:
    return Field(
        default=default, min_length=1, max_length=8_000, description=f"Who {who} is and how it works."
    )


class Context(ModelContext):
    """Settings of the engineering team; what is left out keeps its default."""

    model: str | None = Field(
        default=None,
        description="The chat model as `provider:model`, such as openai:gpt-4.1-mini. Empty: OpenAI's when a key is "
        "set, else offline:rules, which decides by written rules and knows a handful of tasks by heart.",
        examples=["openai:gpt-4.1-mini", "offline:rules"],
    )
    temperature: float = Field(
        default=0.0,
        ge=0.0,
        le=2.0,
        description="0 decides and writes the same each time; higher values vary it.",
    )
    supervisor_prompt: str = _prompt(prompts.SUPERVISOR, "the supervisor")
    researcher_prompt: str = _prompt(prompts.RESEARCHER, "the researcher")
    coder_prompt: str = _prompt(prompts.CODER, "the coder")
    lead_prompt: str = _prompt(prompts.LEAD, "the lead of reviewer and auditor")
    reviewer_prompt: str = _prompt(prompts.REVIEWER, "the reviewer")
    auditor_prompt: str = _prompt(prompts.AUDITOR, "the security auditor")
    max_handoffs: int = Field(
        default=8,
        ge=1,
        le=20,
        description="Hand-offs by the supervisor for one task; then it ends with what is there and what is missing.",
    )
    max_fixes: int = Field(
        default=2,
        ge=0,
        le=5,
        description="How often failing tests or findings send the work back to the coder.",
    )
    max_worker_calls: int = Field(
        default=6,
        ge=2,
        le=12,
        description="Model calls of a worker for one hand-off; the last one has to report.",
    )
    ask_person: bool = Field(
        default=True,
        description="Whether a person is asked when tests pass and findings are left: deliver, send back, or stop. "
        "Otherwise the task ends as incomplete, with the findings.",
    )
    test_time_s: float = Field(
        default=10.0, gt=0.0, le=30.0, description="Seconds that one run of the tests may take."
    )
    max_turns: MaxTurns = 20
    max_cost_usd: float = Field(
        default=5.0,
        gt=0.0,
        description="Model cost of one thread in USD; above it work ends politely, in the middle of a task as well.",
    )

    def limits(self) -> Limits:
        """What one run of the tests may take."""
        return Limits(time_s=self.test_time_s)


def chosen(runtime: Any) -> Chosen:
    """The models of the run, for workers of `create_agent`."""
    context = Context.of(runtime)
    return Chosen(context.models(), context.temperature)

"""What the contexts of all graphs have in common: how a run gets its settings, and which models it tries."""

from typing import Annotated, Any, Self, TypeAlias

from pydantic import BaseModel, ConfigDict, Field

from agents.shared.models import default_model
from agents.shared.offline import OFFLINE

FallbackModel: TypeAlias = Annotated[
    str | None,
    Field(
        description="The model to use while the first one is down. Below it there are always the written rules.",
        examples=["openai:gpt-4.1-nano"],
    ),
]
"""A field's type: what to use in place of the graph's model."""
Temperature: TypeAlias = Annotated[
    float, Field(ge=0.0, le=2.0, description="0 answers the same each time; higher values vary the wording.")
]
"""A field's type, for graphs whose model writes to people."""


MaxTurns: TypeAlias = Annotated[
    int, Field(ge=1, description="Requests on one thread; the next one is closed politely.")
]
"""A field's type: how long a thread may get."""
MaxCostUsd: TypeAlias = Annotated[
    float,
    Field(gt=0.0, description="Model cost of one thread in USD; above it requests are closed politely."),
]
"""A field's type: what a thread may cost."""


class GraphContext(BaseModel):
    """The settings of a graph; an unknown one is an error, since it would silently do nothing."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def of(cls, runtime: Any) -> Self:
        """The run's settings; the defaults when a caller in process gives none (LangGraph then has None)."""
        return runtime.context or cls()


class ModelContext(GraphContext):
    """The settings of a graph whose nodes all use one model; a graph says of `model` what it does there."""

    model: str | None = None
    fallback_model: FallbackModel = None

    def models(self) -> tuple[str, ...]:
        """Names of the models to try, best first; the written rules are the last rung."""
        return rungs(self.model, self.fallback_model)


def rungs(*names: str | None) -> tuple[str, ...]:
    """Names of the models to try, best first; None as the first means the default model. The written rules are last."""
    first, *others = names or (None,)
    chosen = [first or default_model(), *others, OFFLINE]
    return tuple(dict.fromkeys(name for name in chosen if name))

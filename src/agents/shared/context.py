"""What the contexts of all graphs have in common: how a run gets its settings, and which models it tries."""

from typing import Any, Self

from pydantic import BaseModel, ConfigDict

from agents.shared.models import default_model
from agents.shared.offline import OFFLINE


class GraphContext(BaseModel):
    """The settings of a graph; an unknown one is an error, since it would silently do nothing."""

    model_config = ConfigDict(extra="forbid")

    @classmethod
    def of(cls, runtime: Any) -> Self:
        """The run's settings; the defaults when a caller in process gives none (LangGraph then has None)."""
        return runtime.context or cls()


def rungs(*names: str | None) -> tuple[str, ...]:
    """Names of the models to try, best first; None as the first means the default model. The written rules are last."""
    first, *others = names or (None,)
    chosen = [first or default_model(), *others, OFFLINE]
    return tuple(dict.fromkeys(name for name in chosen if name))

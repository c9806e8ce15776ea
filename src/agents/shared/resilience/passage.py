"""The words that breakers are spoken of in: thresholds, a passage through one, and who keeps their state."""

from dataclasses import dataclass
from typing import Any, Protocol

from agents.shared.errors import PermanentError


@dataclass(frozen=True)
class Thresholds:
    """When a breaker opens and for how long; times in seconds.

    `probe_s` must be longer than the slowest call behind the breaker, or two probes can overlap.
    """

    failures: int = 5
    cooldown_s: float = 30.0
    probe_s: float = 90.0


THRESHOLDS = Thresholds()


class BreakerOpen(PermanentError):
    """The service failed several times in a row and is left alone for now."""

    def __init__(self, name: str, seconds_left: float) -> None:
        super().__init__(
            f"{name} failed repeatedly and is left alone for {max(seconds_left, 0):.0f} s more; "
            "use something else meanwhile, or wait"
        )
        self.name = name
        self.seconds_left = seconds_left


@dataclass(frozen=True)
class Passage:
    """Leave to make one call; `probe` marks the one call that an open breaker lets through."""

    name: str
    probe: Any = None


class Keeper(Protocol):
    """Where the state of breakers is kept."""

    async def admit(self, name: str, thresholds: Thresholds) -> Passage: ...
    async def succeeded(self, passage: Passage) -> None: ...
    async def failed(self, passage: Passage, thresholds: Thresholds) -> None: ...
    async def gave_up(self, passage: Passage) -> None: ...

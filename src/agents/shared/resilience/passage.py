"""The words that breakers are spoken of in: thresholds, a passage through one, and who keeps their state."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

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
    """The service failed several times in a row and is left alone for now.

    Permanent, because trying again at once is just what a breaker is there to prevent.
    """

    def __init__(self, name: str, seconds_left: float) -> None:
        pause = f"for {seconds_left:.0f} s more" if seconds_left > 0 else "while one call tries it"
        super().__init__(f"{name} failed repeatedly and is left alone {pause}; use something else meanwhile")
        self.name = name
        self.seconds_left = max(seconds_left, 0.0)


@dataclass(frozen=True)
class Passage:
    """Leave to make one call; `probe` is set on the one call that an open breaker lets through.

    Its value tells this probe from a later one: whoever lost the turn can change nothing any more.
    """

    name: str
    probe: datetime | float | None = None


class Keeper(Protocol):
    """Where the state of breakers is kept. A passage goes back to the keeper that gave it."""

    async def admit(self, name: str, thresholds: Thresholds) -> Passage:
        """Leave to call, or BreakerOpen."""
        ...

    async def succeeded(self, passage: Passage) -> None: ...

    async def failed(self, passage: Passage, thresholds: Thresholds) -> None: ...

    async def gave_up(self, passage: Passage) -> None:
        """The probe ended without proving anything: the next caller may probe."""
        ...

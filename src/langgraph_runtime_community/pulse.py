"""Whether this process still has its lease, by its own clock: asked between the steps of a run, where a question to
the database would cost a way there and back. A process that was stopped learns so before its next step."""

import time
from dataclasses import dataclass, field

from langgraph_runtime_community.config import config


@dataclass
class Pulse:
    """The last sign of life that arrived, and how often one came too late."""

    last: float = field(default_factory=time.monotonic)
    lapses: int = 0

    def beat(self, sent_at: float) -> None:
        """A beat was written that was sent then. One that came too late is counted before it counts as a beat:
        what was held until then may be others' by now."""
        if sent_at - self.last > config().lease_s:
            self.lapses += 1
        self.last = sent_at

    def fresh(self) -> bool:
        """Whether anything may be claimed."""
        return time.monotonic() - self.last < config().lease_s

    def held_since(self, lapses: int) -> bool:
        """Whether the lease has held all the time since `lapses` was read."""
        return self.fresh() and self.lapses == lapses


PULSE = Pulse()

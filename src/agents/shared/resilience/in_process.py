"""Breakers of this process alone: what is left when the database is away."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from agents.shared.resilience.passage import BreakerOpen, Passage, Thresholds


@dataclass
class _State:
    failures: int = 0
    opened_at: float | None = None
    probe_until: float | None = None


class ProcessKeeper:
    """Same rules as the shared breaker, in memory; `clock` gives seconds that only grow.

    The lock is held for a few assignments and never across an await, so that waiting for it can't stall a
    loop; it is there for graphs that run on several event loops in threads of their own.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._states: dict[str, _State] = {}
        self._lock = threading.Lock()

    async def admit(self, name: str, thresholds: Thresholds) -> Passage:
        with self._lock:
            state = self._states.setdefault(name, _State())
            if state.opened_at is None:
                return Passage(name)
            now = self._clock()
            due_at = max(state.opened_at + thresholds.cooldown_s, state.probe_until or now)
            if now < due_at:
                raise BreakerOpen(name, due_at - now)
            state.probe_until = now + thresholds.probe_s
            return Passage(name, probe=state.probe_until)

    async def succeeded(self, passage: Passage) -> None:
        with self._lock:
            if self._still_counts(passage):
                self._states[passage.name] = _State()

    async def failed(self, passage: Passage, thresholds: Thresholds) -> None:
        with self._lock:
            if not self._still_counts(passage):
                return
            state = self._states[passage.name]
            state.failures += 1
            state.probe_until = None
            if passage.probe is not None or state.failures >= thresholds.failures:
                state.opened_at = self._clock()

    async def gave_up(self, passage: Passage) -> None:
        with self._lock:
            if self._still_counts(passage):
                self._states[passage.name].probe_until = None

    def _still_counts(self, passage: Passage) -> bool:
        """Not for a call from before the breaker opened, nor for a probe that lost its turn."""
        state = self._states.setdefault(passage.name, _State())
        if passage.probe is None:
            return state.opened_at is None
        return state.probe_until == passage.probe

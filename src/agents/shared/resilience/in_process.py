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


class InProcessKeeper:
    """Same rules as the shared breaker, in memory; `clock` gives seconds that only grow.

    The lock is held for a few dictionary operations and never across an await: nobody waits for it long
    enough to matter, also where graphs run on several event loops in threads of their own.
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
            reopens_at = max(state.opened_at + thresholds.cooldown_s, state.probe_until or 0.0)
            if now < reopens_at:
                raise BreakerOpen(name, reopens_at - now)
            state.probe_until = now + thresholds.probe_s
            return Passage(name, probe=state.probe_until)

    async def succeeded(self, passage: Passage) -> None:
        with self._lock:
            state = self._states.setdefault(passage.name, _State())
            if state.opened_at is None or (passage.probe is not None and state.probe_until == passage.probe):
                self._states[passage.name] = _State()

    async def failed(self, passage: Passage, thresholds: Thresholds) -> None:
        with self._lock:
            state = self._states.setdefault(passage.name, _State())
            if state.opened_at is not None and (passage.probe is None or state.probe_until != passage.probe):
                return  # a call from before the breaker opened, or a probe that lost its turn
            state.failures += 1
            state.probe_until = None
            if passage.probe is not None or state.failures >= thresholds.failures:
                state.opened_at = self._clock()

    async def gave_up(self, passage: Passage) -> None:
        with self._lock:
            state = self._states.setdefault(passage.name, _State())
            if state.probe_until == passage.probe:
                state.probe_until = None

"""Which threads a sweep can leave out, because nothing has changed since they were looked at. No I/O."""

import random
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime

SETTLED_S = 10.0
RECHECK_S = 60.0


@dataclass
class _Known:
    """A thread as it was when it was looked at: the time of its last change, and our clock at the first and the last
    look since. `again_at`: when one with an unfinished review is looked at although nothing says that it changed."""

    changed_at: datetime | None
    first: float
    last: float
    again_at: float


@dataclass
class Memory:
    """What the sweeps of this process have looked at, so that a thread is not read every few seconds for nothing.

    A change is looked at until SETTLED_S after it was first seen, for its state may become visible after its time. A
    thread with an unfinished review is looked at once in RECHECK_S or sooner: that it was deleted, no list tells.
    """

    clock: Callable[[], float] = time.monotonic
    chance: Callable[[], float] = random.random
    _known: dict[str, _Known] = field(default_factory=dict)

    def forget(self) -> None:
        """Everything is looked at again."""
        self._known.clear()

    def due(self, changed: Mapping[str, datetime], unfinished: Collection[str]) -> set[str]:
        """The threads worth a look now."""
        return {
            thread_id
            for thread_id in {*changed, *unfinished}
            if self._is_due(thread_id, changed.get(thread_id), thread_id in unfinished)
        }

    def _is_due(self, thread_id: str, changed_at: datetime | None, unfinished: bool) -> bool:
        known = self._known.get(thread_id)
        if known is None or (changed_at is not None and changed_at != known.changed_at):
            return True
        if changed_at is not None and known.last - known.first < SETTLED_S:
            return True
        return unfinished and self.clock() >= known.again_at

    def looked(
        self, threads: Collection[str], changed: Mapping[str, datetime], unfinished: Collection[str]
    ) -> None:
        """They were looked at; of the others only what is still of use is kept."""
        now = self.clock()
        for thread_id in threads:
            known, at = self._known.get(thread_id), changed.get(thread_id)
            # Not all at the same moment: a thousand would be due together for ever.
            again_at = now + RECHECK_S * (0.5 + self.chance() / 2)
            if known is None or (at is not None and at != known.changed_at):
                known = _Known(at, now, now, again_at)
            self._known[thread_id] = replace(known, last=now, again_at=again_at)
        kept = {*changed, *unfinished}
        self._known = {thread_id: known for thread_id, known in self._known.items() if thread_id in kept}

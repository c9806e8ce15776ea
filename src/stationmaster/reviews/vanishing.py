"""When a thread that the Agent Server does not know counts as deleted: its reviews then close for good. No I/O.

A proxy, a server on an empty database or a wrong URL know no thread either, and then people's answers would be lost.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

WITNESSES = 3
SOON_S, LATE_S = 10.0, 3600.0
"""How long a thread must be missing where no other one that was there before tells: alone, and among several."""
SEVERAL = 3


@dataclass
class Vanishing:
    """What one process has found and missed, with our clock."""

    clock: Callable[[], float] = time.monotonic
    _found: deque[str] = field(default_factory=lambda: deque(maxlen=WITNESSES + 1))
    _missing: dict[str, float] = field(default_factory=dict)

    def found(self, thread_id: str) -> None:
        """It is there."""
        self._missing.pop(thread_id, None)
        if thread_id in self._found:
            self._found.remove(thread_id)
        self._found.append(thread_id)

    def missed(self, thread_id: str) -> None:
        """The server has just said that it does not know it."""
        if thread_id in self._found:
            self._found.remove(thread_id)
        self._missing.setdefault(thread_id, self.clock())

    def witnesses(self) -> Iterable[str]:
        """Threads that were there when last looked at, the newest first: one of them tells if it is this server."""
        return tuple(reversed(self._found))[:WITNESSES]

    def is_over(self, thread_id: str) -> bool:
        """Without a witness: whether it has been missing for long enough."""
        needed = LATE_S if len(self._missing) >= SEVERAL else SOON_S
        return self.clock() - self._missing[thread_id] >= needed

    def settled(self, thread_id: str) -> None:
        """It counts as deleted, and is asked for no more."""
        self._missing.pop(thread_id, None)

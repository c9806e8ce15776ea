"""The bench: the runs that this process works on. The operations reach it without knowing the queue."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from langgraph_runtime_community.lease import Lease
from langgraph_runtime_community.pulse import PULSE


@dataclass
class Bench:
    """Places for runs. `begin` is the queue's: it starts a worker for a row that was claimed for this process."""

    places: int
    begin: Callable[[dict[str, Any]], None]
    leases: dict[UUID, Lease] = field(default_factory=dict)
    woken: asyncio.Event = field(default_factory=asyncio.Event)
    promised: int = 0
    behind: bool = False
    closed: bool = False

    @property
    def free(self) -> int:
        """How many more runs there is room for."""
        return max(0, self.places - len(self.leases) - self.promised)

    def has_room(self) -> bool:
        """Whether a run that is being accepted may be claimed in the same breath; not ahead of those that wait."""
        return self.free > 0 and not self.behind and not self.closed and PULSE.fresh()

    @contextmanager
    def promise(self, places: int = 1) -> Iterator[None]:
        """Keep places for runs while they are claimed."""
        self.promised += places
        try:
            yield
        finally:
            self.promised -= places

    def wake(self) -> None:
        """There may be something to claim."""
        self.woken.set()

    def cancel(self, run_id: UUID, action: str, reason: str | None) -> None:
        """Tell the worker of a run, if it is here, that it is to stop. Again is no error."""
        from langgraph_api.errors import UserInterrupt, UserRollback

        lease = self.leases.get(run_id)
        if lease is None:
            return
        kind = UserRollback if action == "rollback" else UserInterrupt
        lease.cancel.set(kind(reason) if reason else kind())


class CurrentBench:
    """The bench of this process, if it works on runs at all."""

    def __init__(self) -> None:
        self._bench: Bench | None = None

    def get(self) -> Bench | None:
        """The bench, None before the queue starts and after it has ended."""
        return self._bench

    def set(self, bench: Bench | None) -> None:
        """From the queue."""
        self._bench = bench


BENCH = CurrentBench()

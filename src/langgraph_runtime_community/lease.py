"""A worker's hold on a run, and how code far below the queue finds it: a context variable set around the worker."""

from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from langgraph_runtime_community.errors import LeaseLapsed, LeaseLost
from langgraph_runtime_community.pulse import PULSE


@dataclass
class Lease:
    """One attempt at one run. `run` is what the server's worker works on.

    `cancel` is a ValueEvent of the server, set to what the worker shall stop with.
    `shared`: somebody listens from another process, so its events go through the database. `ended`: its last
    write is done, be it a status (then it is `over`) or the way back into the queue. `lost`: another worker has it.
    `spares`: it begins only if its thread waits for no answer. `leaving`: its last write is under way.
    `trouble`: what an earlier attempt failed with (server.runs.trouble). `failed`: what this one failed with, in
    words; `pause_s`: how long the next one waits then. `used_up`: it may only end, with this.
    """

    run_id: UUID
    thread_id: UUID
    epoch: int
    attempt: int
    base: int
    run: dict[str, Any]
    cancel: Any = field(repr=False)
    shared: bool = False
    ended: bool = False
    over: bool = False
    lost: bool = False
    handing_back: bool = False
    deletes_thread: bool = False
    spares: bool = False
    leaving: bool = False
    trouble: dict[str, Any] | None = None
    failed: str | None = None
    pause_s: float = 0.0
    used_up: Exception | None = None
    events: int = 0
    lapses: int = field(default_factory=lambda: PULSE.lapses)
    started_at: str = field(default_factory=lambda: datetime.now(UTC).isoformat())

    @property
    def kwargs(self) -> dict[str, Any]:
        return self.run["kwargs"]

    @property
    def temporary(self) -> bool:
        """Whether the thread goes with the run."""
        return bool(self.kwargs.get("temporary"))

    def event_id(self) -> tuple[int, int]:
        """The id of the next event."""
        self.events += 1
        return self.base, self.events

    def lose(self) -> LeaseLost:
        """Mark it as lost, and stop the worker, which would go on with another's steps; the error to raise."""
        self.lost = True
        error = LeaseLost(f"run {self.run_id} is another worker's by now")
        self.cancel.set(error)
        return error

    def require(self) -> None:
        """LeaseLapsed if this process was silent for too long since the run was claimed.

        What it holds by then may be another's already. If not, it goes back into the queue, as from a drain.
        """
        if not PULSE.held_since(self.lapses):
            self.handing_back = True
            error = LeaseLapsed(f"the lease on run {self.run_id} has run out")
            self.cancel.set(error)
            raise error


LEASE: ContextVar[Lease | None] = ContextVar("community_runtime_lease", default=None)


def lease_on(run_id: UUID) -> Lease | None:
    """The lease that the code running here has on that run."""
    lease = LEASE.get()
    return lease if lease is not None and lease.run_id == run_id else None

"""The runs that have begun and not ended, bounded: what never tells its end must not fill the memory."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from uuid import UUID

from opentelemetry.context import Context
from opentelemetry.trace import Span

from stationmaster.tracing.facts import Facts

MOST = 20_000


@dataclass(eq=False)
class Open:
    """One run as LangChain counts them: a graph, a node, a call, or a step in between, which has no span of its own."""

    name: str
    root: UUID
    facts: Facts
    """The tree's identity, shared by all of it."""
    context: Context
    """What its children are parented to: its own span, or where it has none its parent's."""
    parent: "Open | None" = None
    kind: str = "step"
    span: Span | None = None
    told: Facts = field(default_factory=dict)
    started_ns: int = field(default_factory=time.time_ns)
    interrupted: bool = False
    failed_with: int | None = None
    """`id` of the error that a child of it failed with: it is told once, where it began."""


class OpenRuns:
    """By run id. Callbacks come from the loop and from the threads of sync nodes."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._runs: dict[UUID, Open] = {}
        self._trees: dict[UUID, set[UUID]] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._runs)

    def get(self, run_id: UUID | None) -> Open | None:
        return self._runs.get(run_id) if run_id else None

    def add(self, run_id: UUID, run: Open) -> list[Open]:
        """Those that had to make room, the oldest first."""
        with self._lock:
            self._runs[run_id] = run
            self._trees.setdefault(run.root, set()).add(run_id)
            oldest = list(self._first(len(self._runs) - self._most))
            return [gone for run_id in oldest if (gone := self._out(run_id))]

    def pop(self, run_id: UUID) -> tuple[Open | None, list[Open]]:
        """The run, and if it was a root what is left of its tree."""
        with self._lock:
            left = self._trees.get(run_id, set()) - {run_id}
            return self._out(run_id), [gone for other in left if (gone := self._out(other))]

    def _first(self, count: int) -> Iterator[UUID]:
        for _, run_id in zip(range(count), self._runs, strict=False):
            yield run_id

    def _out(self, run_id: UUID) -> Open | None:
        run = self._runs.pop(run_id, None)
        if run is not None and (tree := self._trees.get(run.root)) is not None:
            tree.discard(run_id)
            if not tree:
                del self._trees[run.root]
        return run

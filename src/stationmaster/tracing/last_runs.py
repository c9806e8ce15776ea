"""The last run of each thread that this process traced: the next one links to it."""

from collections import OrderedDict

from opentelemetry.trace import Link, SpanContext

_MOST = 10_000


class LastRuns:
    """Bounded, and of this process alone: across processes the thread's id is what joins its traces."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._last: OrderedDict[str, SpanContext] = OrderedDict()

    def links(self, thread_id: str | None) -> list[Link]:
        """To the run before on the thread, if there is one."""
        before = self._last.get(thread_id) if thread_id else None
        return [Link(before, {"langgraph.link": "the run before on this thread"})] if before else []

    def note(self, thread_id: str | None, now: SpanContext) -> None:
        if thread_id:
            self._last[thread_id] = now
            self._last.move_to_end(thread_id)
            if len(self._last) > self._most:
                self._last.popitem(last=False)

"""A run's trace has the run's own id: whoever knows the one finds the other, and two attempts meet in one trace."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from uuid import UUID

from opentelemetry.sdk.trace.id_generator import RandomIdGenerator


class RunIds(RandomIdGenerator):
    """Random ids, but for what is started inside of `of`."""

    def __init__(self) -> None:
        super().__init__()
        self._wanted = threading.local()

    @contextmanager
    def of(self, run_id: UUID | None) -> Iterator[None]:
        """A span that is started in here without a parent begins the trace of this run."""
        self._wanted.trace_id = run_id.int if run_id else None
        try:
            yield
        finally:
            self._wanted.trace_id = None

    def generate_trace_id(self) -> int:
        return getattr(self._wanted, "trace_id", None) or super().generate_trace_id()


def run_id_in(text: object) -> UUID | None:
    """The run's id, if the text is one."""
    try:
        return UUID(str(text))
    except ValueError:
        return None

"""Runs of this process traced to a collector of the test's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

from langchain_core.runnables import RunnableConfig

from stationmaster.tracing.destination import TRACES_PATH, Destination
from stationmaster.tracing.exporting import Export
from stationmaster.tracing.handler import Spans
from tests.fakes.collector import Collector, Span

THREAD = "0192f0c1-0000-7000-8000-000000000001"


@dataclass
class Traced:
    """What a test has in hand: pass `config()` to a graph, then ask for `spans`."""

    collector: Collector
    export: Export
    handler: Spans

    def config(self, run_id: UUID | None = None, /, **metadata: Any) -> RunnableConfig:
        """As the server calls a graph: the run's id, the thread's, and metadata."""
        return {
            "callbacks": [self.handler], "run_id": run_id or uuid4(), "configurable": {"thread_id": THREAD},
            "metadata": {"thread_id": THREAD, **metadata},
        }  # fmt: skip

    def spans(self) -> list[Span]:
        """All that ended so far."""
        assert self.export.flush(10)
        return list(self.collector.spans)

    def named(self, name: str) -> Span:
        """The one span of that name."""
        (span,) = [span for span in self.spans() if span.name == name]
        return span


@contextmanager
def traced(*, content: bool = False) -> Iterator[Traced]:
    with Collector.running() as collector:
        export = Export(Destination(collector.url + TRACES_PATH, content=content))
        yield Traced(collector, export, Spans(export.tracer, export.ids, content=content))
        assert export.stop(10)

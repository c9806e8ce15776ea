"""Spans leave in batches, from a thread of their own: with a bounded queue, one warning, and a bounded end."""

import logging
import os
import socket
import threading
from collections.abc import Callable, Sequence
from importlib.metadata import version

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import SERVICE_INSTANCE_ID, SERVICE_NAME, SERVICE_VERSION, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Tracer

from stationmaster.tracing.destination import Destination
from stationmaster.tracing.ids import RunIds

_log = logging.getLogger("stationmaster.tracing")
SCOPE = "stationmaster"
# These tell of every try, every batch and every span that is dropped; what is worth a line is told here, once.
_TALKATIVE = {
    "opentelemetry.exporter.otlp.proto.http.trace_exporter": logging.CRITICAL,
    "opentelemetry.sdk._shared_internal": logging.ERROR,
}


class Told(SpanExporter):
    """An exporter whose failing is one warning until it succeeds again."""

    def __init__(self, exporter: SpanExporter, shown: str) -> None:
        self._exporter = exporter
        self._shown = shown
        self._failing = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._exporter.export(spans)
        failed = result is not SpanExportResult.SUCCESS
        if failed and not self._failing:
            _log.warning(
                "spans can't be delivered to %s, and are dropped; runs are not held up. Look whether a collector "
                "listens there (OTEL_EXPORTER_OTLP_ENDPOINT)", self._shown,
            )  # fmt: skip
        elif self._failing and not failed:
            _log.warning("spans are delivered to %s again", self._shown)
        self._failing = failed
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()

    def force_flush(self, timeout_millis: int = 30_000) -> bool:
        return self._exporter.force_flush(timeout_millis)


class Export:
    """The way out of one process. How often, how many at once, how many are kept: the SDK's OTEL_BSP_* variables."""

    def __init__(self, to: Destination) -> None:
        for name, level in _TALKATIVE.items():
            logging.getLogger(name).setLevel(level)
        self.ids = RunIds()
        exporter = OTLPSpanExporter(endpoint=to.url, headers=to.headers)
        resource = Resource.create({
            SERVICE_NAME: to.service, SERVICE_VERSION: version("stationmaster"),
            SERVICE_INSTANCE_ID: f"{socket.gethostname()}-{os.getpid()}",
        })  # fmt: skip
        # Not at exit by itself: it would wait half a minute for an endpoint that hangs.
        self._provider = TracerProvider(resource=resource, id_generator=self.ids, shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(Told(exporter, to.shown)))
        self.tracer: Tracer = self._provider.get_tracer(SCOPE, version("stationmaster"))

    def flush(self, within_s: float) -> bool:
        """Deliver what has ended; False if that takes longer, and then it goes on by itself."""
        return bounded(self._provider.force_flush, within_s)

    def stop(self, within_s: float) -> bool:
        """Deliver what has ended, and end; whatever takes longer is given up."""
        return bounded(self._provider.shutdown, within_s)


def bounded(work: Callable[[], object], within_s: float) -> bool:
    """Do it in a thread that no process waits for at its end; whether it was done in time."""
    worker = threading.Thread(target=work, name="stationmaster-spans", daemon=True)
    worker.start()
    worker.join(within_s)
    return not worker.is_alive()

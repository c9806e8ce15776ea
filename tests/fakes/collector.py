"""An OTLP/HTTP collector: decodes the protobuf that comes and remembers the spans. It can refuse, and it can hang."""

import gzip
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Sent

from tests.fakes.loopback_server import LoopbackServer, Quiet

PATIENCE_S = 20.0
ERROR = 2


@dataclass(frozen=True)
class Span:
    """One span as it was received; ids in hex, `parent` empty for a root, times in seconds."""

    name: str
    trace: str
    id: str
    parent: str
    attributes: dict[str, Any]
    events: tuple[tuple[str, dict[str, Any]], ...]
    links: tuple[str, ...]
    """The traces that it links to."""
    failed: bool
    start: float
    end: float
    resource: dict[str, Any] = field(repr=False)


class Collector(LoopbackServer):
    """`status` is what it answers, `hangs` whether it answers at all."""

    def __init__(self) -> None:
        super().__init__()
        self.spans: list[Span] = []
        self.requests: list[dict[str, str]] = []
        """Headers, and the path as `:path`, by request."""
        self.raw = b""
        """All that came, to look for what must not be in it."""
        self.status = 200
        self.hangs = False
        self.arrived = threading.Condition()

    def wait_for(self, there: Callable[[Sequence[Span]], bool]) -> list[Span]:
        """All spans, once they are as wanted; AssertionError with what there is if they never are."""
        deadline = time.monotonic() + PATIENCE_S
        with self.arrived:
            while not there(self.spans):
                if not self.arrived.wait(deadline - time.monotonic()):
                    raise AssertionError("\n".join(drawn(self.spans)) or "no span came")
            return list(self.spans)

    def of(self, run_id: str) -> list[Span]:
        """The spans of one run, once its root is there; a root is sent after all that stands under it."""
        trace = run_id.replace("-", "")
        found = self.wait_for(lambda spans: any(span.trace == trace and not span.parent for span in spans))
        return [span for span in found if span.trace == trace]


class _Handler(Quiet, BaseHTTPRequestHandler):
    server: Collector  # pyright: ignore[reportIncompatibleVariableOverride]

    def do_POST(self) -> None:
        body, collector = self.body(), self.server
        if collector.hangs:
            collector.stopped.wait()
            self.close_connection = True
            return
        if self.headers.get("content-encoding") == "gzip":
            body = gzip.decompress(body)
        known = self.path == "/v1/traces"
        with collector.arrived:
            headers = {name.lower(): value for name, value in self.headers.items()}
            collector.requests.append({":path": self.path, **headers})
            if collector.status == 200 and known:
                collector.raw += body
                collector.spans.extend(_received(body))
            collector.arrived.notify_all()
        answer = ExportTraceServiceResponse().SerializeToString()
        self.answer(collector.status if known else 404, "application/x-protobuf", answer)


Collector.handler = _Handler


def _received(body: bytes) -> Iterator[Span]:
    for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
        about = _attributes(resource.resource.attributes)
        for scope in resource.scope_spans:
            for span in scope.spans:
                yield _span(span, about)


def _span(span: Sent, about: dict[str, Any]) -> Span:
    return Span(
        span.name, span.trace_id.hex(), span.span_id.hex(), span.parent_span_id.hex(),
        _attributes(span.attributes),
        tuple((event.name, _attributes(event.attributes)) for event in span.events),
        tuple(link.trace_id.hex() for link in span.links), span.status.code == ERROR,
        span.start_time_unix_nano / 1e9, span.end_time_unix_nano / 1e9, about,
    )  # fmt: skip


def _attributes(pairs: Sequence[KeyValue]) -> dict[str, Any]:
    return {pair.key: _value(pair.value) for pair in pairs}


def _value(value: AnyValue) -> Any:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_value(part) for part in value.array_value.values]
    return getattr(value, kind) if kind else None


def drawn(spans: Sequence[Span], tell: Callable[[Span], str] = lambda span: "") -> list[str]:
    """The spans as an indented tree, children in the order in which they began; a parent that never came is a root."""
    known = {span.id for span in spans}
    below: dict[str, list[Span]] = {}
    for span in sorted(spans, key=lambda span: span.start):
        below.setdefault(span.parent if span.parent in known else "", []).append(span)

    def lines(parent: str, depth: int) -> Iterator[str]:
        for span in below.get(parent, []):
            yield f"{'  ' * depth}{span.name}{tell(span)}"
            yield from lines(span.id, depth + 1)

    return list(lines("", 0))

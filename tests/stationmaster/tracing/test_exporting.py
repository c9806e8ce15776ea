"""A collector that is away, refuses or hangs: one line in the log, bounded memory, a bounded end, and runs go on."""

import logging
import os
import socket
import threading
import time

import pytest

from stationmaster.tracing import exporting
from stationmaster.tracing.destination import TRACES_PATH, Destination
from stationmaster.tracing.exporting import Export
from tests.fakes.collector import Collector
from tests.stationmaster.tracing.tracing import Traced


def spans(export: Export, count: int, name: str = "span") -> None:
    for _ in range(count):
        export.tracer.start_span(name).end()


def nobody() -> str:
    """An address where nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{probe.getsockname()[1]}{TRACES_PATH}"


def warned(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a second for each delivery, instead of ten."""
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.5")


def test_headers_and_name_are_sent() -> None:
    with Collector.running() as collector:
        export = Export(Destination(collector.url + TRACES_PATH, {"authorization": "Bearer secret"}, "shop"))
        spans(export, 1)
        assert export.stop(10)
        assert collector.requests[0]["authorization"] == "Bearer secret"
        (span,) = collector.spans
        assert span.resource["service.name"] == "shop" and span.resource["service.version"]
        assert b"secret" not in collector.raw


def test_a_dead_endpoint_is_one_warning_and_its_return_another(caplog: pytest.LogCaptureFixture) -> None:
    export = Export(Destination(nobody()))
    for _ in range(3):
        spans(export, 600)
        export.flush(10)
    (line,) = warned(caplog)
    assert "can't be delivered to 127.0.0.1" in line and "OTEL_EXPORTER_OTLP_ENDPOINT" in line
    assert export.stop(10)
    assert len(warned(caplog)) == 1


@pytest.mark.parametrize("status", [401, 404, 500, 503])
def test_so_is_one_that_refuses(caplog: pytest.LogCaptureFixture, status: int) -> None:
    with Collector.running() as collector:
        collector.status = status
        export = Export(Destination(collector.url + TRACES_PATH))
        for _ in range(2):
            spans(export, 1)
            export.flush(10)
        assert len(warned(caplog)) == 1
        collector.status = 200
        spans(export, 1, "later")
        export.flush(10)
        assert [span.name for span in collector.spans] == ["later"]
        assert "again" in warned(caplog)[1]
        export.stop(10)


def test_an_endpoint_that_hangs_holds_up_neither_runs_nor_the_end(caplog: pytest.LogCaptureFixture) -> None:
    with Collector.running() as collector:
        collector.hangs = True
        export = Export(Destination(collector.url + TRACES_PATH))
        begun = time.monotonic()
        spans(export, 20_000)
        assert time.monotonic() - begun < 5  # each would wait half a second
        assert not export.stop(0.1)
        assert len(warned(caplog)) <= 1


def test_what_cannot_be_delivered_is_dropped_beyond_a_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory of 100 spans, 1,000 made while the collector hangs: the newest come through."""
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "100")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "100")
    with Collector.running() as collector:
        collector.hangs = True
        export = Export(Destination(collector.url + TRACES_PATH))
        for n in range(1_000):
            spans(export, 1, str(n))
        collector.hangs = False
        export.flush(20)
        names = [int(span.name) for span in collector.spans]
        assert len(names) <= 200 and 999 in names
        export.stop(10)


def test_a_flush_that_takes_too_long_goes_on_by_itself() -> None:
    release = threading.Event()
    assert not exporting.bounded(release.wait, 0.05)
    release.set()


def test_a_forked_process_delivers_its_own_and_nothing_twice(to_collector: Traced) -> None:
    export = to_collector.export
    spans(export, 1, "parent's")
    child = os.fork()
    if child == 0:
        spans(export, 1, "child's")
        os._exit(0 if export.stop(5) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert sorted(span.name for span in to_collector.spans()) == ["child's", "parent's"]


def test_the_samplers_own_variable_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OTEL_TRACES_SAMPLER", "always_off")
    with Collector.running() as collector:
        export = Export(Destination(collector.url + TRACES_PATH))
        spans(export, 1)
        assert export.stop(10) and not collector.spans

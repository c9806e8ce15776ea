"""What a process does about tracing when it starts: nothing at all without an endpoint."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from stationmaster.settings import Settings, SettingsError, load_settings
from stationmaster.tracing.destination import destination
from tests.fakes.agent_server import ROOT, clean_environment
from tests.fakes.collector import Collector

PROGRAM = """
import asyncio, json, sys
from stationmaster.settings import load_settings
from stationmaster.tracing import starting

began = starting.start(load_settings()) and starting.start(load_settings(), lambda model: None)
if len(sys.argv) > 1:
    from tests.fakes.graphs.supervisor import graph
    asyncio.run(graph.ainvoke({"task": "a lamp"}))
exporter = ("opentelemetry.exporter", "stationmaster.tracing.exporting")
loaded = [name for name in sys.modules if name.startswith(exporter)]
print(json.dumps({"began": began, "loaded": len(loaded)}))
"""


def run(directory: Path, *arguments: str, **environment: str) -> dict[str, object]:
    """What a process of its own says that starts tracing and, with an argument, has a run."""
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], cwd=directory, capture_output=True, text=True, check=True,
        env=clean_environment({"PYTHONPATH": str(ROOT), **environment}),
    )  # fmt: skip
    assert not done.stderr
    return json.loads(done.stdout)


def test_without_an_endpoint_nothing_of_the_exporter_is_imported(tmp_path: Path) -> None:
    assert run(tmp_path) == {"began": False, "loaded": 0}


def test_every_run_of_the_process_is_traced_once_and_delivered_at_its_end(tmp_path: Path) -> None:
    """Nobody hands the graph a callback; `start` was called twice."""
    with Collector.running() as collector:
        assert run(tmp_path, "run", OTEL_EXPORTER_OTLP_ENDPOINT=collector.url)["began"] is True
        assert len(collector.spans) == 25 and len({span.trace for span in collector.spans}) == 1


def settings(monkeypatch: pytest.MonkeyPatch, directory: Path, **environment: str) -> Settings:
    monkeypatch.chdir(directory)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    return load_settings()


@pytest.mark.parametrize(
    ("environment", "url"),
    [
        ({}, None),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, "http://c:4318/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "https://c/otlp/"}, "https://c/otlp/v1/traces"),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://c/t", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://d"}, "https://c/t"),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"}, None),
    ],
)  # fmt: skip
def test_where_spans_go(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, environment: dict[str, str], url: str | None
) -> None:
    to = destination(settings(monkeypatch, tmp_path, **environment))
    assert (to.url if to else None) == url


def test_headers_are_secrets_and_content_is_off(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = settings(
        monkeypatch, tmp_path, OTEL_EXPORTER_OTLP_ENDPOINT="https://user:pass@c.example",
        OTEL_EXPORTER_OTLP_HEADERS="authorization=Bearer%20abc, x-team=ops",
    )  # fmt: skip
    to = destination(found)
    assert to and to.headers == {"authorization": "Bearer abc", "x-team": "ops"} and not to.content
    assert "abc" not in repr(found) + repr(to) + to.shown and "pass" not in repr(found) + to.shown
    assert to.shown == "c.example:443"


def test_a_protocol_for_others_stops_nobody_who_sends_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert destination(settings(monkeypatch, tmp_path, OTEL_EXPORTER_OTLP_PROTOCOL="grpc")) is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ("OTEL_EXPORTER_OTLP_HEADERS", "secret-without-a-name"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, name: str, value: str
) -> None:
    with pytest.raises(SettingsError, match=name) as refused:
        settings(monkeypatch, tmp_path, **{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", name: value})
    assert "secret" not in str(refused.value)

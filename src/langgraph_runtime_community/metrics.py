"""How busy this process is: for the server, and in the Prometheus registry that its /metrics shows."""

from collections.abc import Iterator

from prometheus_client import REGISTRY
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from langgraph_runtime_community import database
from langgraph_runtime_community.work import BENCH


def get_metrics() -> dict[str, dict[str, int]]:
    """Workers of this process."""
    from langgraph_api.config import N_JOBS_PER_WORKER

    bench = BENCH.get()
    active = len(bench.leases) if bench else 0
    return {
        "workers": {
            "max": N_JOBS_PER_WORKER, "active": active, "available": max(0, N_JOBS_PER_WORKER - active)
        }
    }  # fmt: skip


class Gauges(Collector):
    """Pool and workers; what is known without asking the database."""

    def collect(self) -> Iterator[Metric]:
        """One sample each."""
        pool = database.pool_stats()["postgres"]
        for name, text in (
            ("pool_size", "Connections to Postgres."),
            ("pool_available", "Connections that nobody uses."),
            ("requests_queued", "Operations that had to wait for a connection, since the start."),
            ("requests_errors", "Operations that got none, since the start."),
        ):
            yield GaugeMetricFamily(f"stationmaster_{name}", text, value=pool[name])
        yield GaugeMetricFamily(
            "stationmaster_runs_active",
            "Runs that this process works on.",
            value=get_metrics()["workers"]["active"],
        )


def register() -> Gauges:
    """Add the gauges to the default registry."""
    gauges = Gauges()
    REGISTRY.register(gauges)
    return gauges

"""How busy this process is, and how long the queue of all is: for the server, and in the Prometheus registry that its
/metrics shows."""

from collections.abc import Iterator
from pathlib import Path

from prometheus_client import REGISTRY
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from langgraph_runtime_community import database
from langgraph_runtime_community.work import BENCH
from stationmaster.postgres.queries import load

QUEUE = load(Path(__file__).parent / "ops" / "runs.sql")["stats"]
_queue: dict[str, float] = {}


async def look_at_the_queue() -> None:
    """To be done now and then: a scrape asks the database nothing, and may come as often as it likes."""
    found = (await database.fetch(QUEUE))[0]
    _queue.update({name: float(value or 0) for name, value in found.items()})


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
    """Pool, workers and queue; what is known without asking the database."""

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
        for name, key, text in (
            ("queue_pending", "n_pending", "Runs that wait, on all processes."),
            ("queue_running", "n_running", "Runs at work, on all processes."),
            (
                "queue_longest_wait_seconds",
                "pending_unblocked_runs_wait_time_max_secs",
                "How long a run has waited that no other one of its thread holds up.",
            ),
        ):
            yield GaugeMetricFamily(f"stationmaster_{name}", text, value=_queue.get(key, 0.0))


def register() -> Gauges:
    """Add the gauges to the default registry."""
    gauges = Gauges()
    REGISTRY.register(gauges)
    return gauges

"""Who runs which test when: what needs servers, replicas or browsers is marked `served`, apart from the main job's own
proofs. Where many workers share a run, files whose tests share a server stay with one worker, so that it is started
once, and what waits longest starts first, so that no worker is left alone with it at the end.
"""

from fnmatch import fnmatchcase

import pytest
from xdist.scheduler import LoadFileScheduling

TOGETHER = (
    "tests/langgraph_runtime_community/conformance/",
    "tests/stationmaster/assistants/",
    "tests/stationmaster/client/",
    "tests/stationmaster/crons/",
    "tests/stationmaster/reconcile/",
    "tests/stationmaster/console/pages/served/",
    "tests/agents/*test_served_",
    "tests/stationmaster/console/pages/test_browser_",
    "tests/stationmaster/reviews/test_",
    "tests/[il][na][bc]",  # labs and incidents: one durable server, one database
)
"""The files that start so (`*` is anything) share a fixture that lasts a session and costs a process."""

SERVERS = frozenset({
    "asking_server", "browser", "community", "configured", "consoles", "interrupting", "keyed_server",
    "lab_durable_database", "lab_server", "open_server", "sealed", "served", "served_crons", "served_database",
    "servers", "services", "shared_server", "stock", "support", "target", "traced_server", "up",
})  # fmt: skip
"""Fixtures that start more than the test's own process and its database."""

STARTING = (
    "tests/agents/research/test_killed",
    "tests/agents/support/test_failures_served",
    "tests/agents/treasury/test_crash",
    "tests/incidents/",
    "tests/langgraph_runtime_community/test_accepting",
    "tests/langgraph_runtime_community/test_attempts",
    "tests/langgraph_runtime_community/test_encryption",
    "tests/langgraph_runtime_community/test_gaps",
    "tests/langgraph_runtime_community/test_kills",
    "tests/langgraph_runtime_community/test_mixed_kills",
    "tests/langgraph_runtime_community/test_outages",
    "tests/langgraph_runtime_community/test_pgbouncer",
    "tests/langgraph_runtime_community/test_postgres_away",
    "tests/langgraph_runtime_community/test_schedulers",
    "tests/langgraph_runtime_community/test_two_servers",
    "tests/langgraph_runtime_community/test_upgrade",
    "tests/langgraph_runtime_community/test_upkeep",
    "tests/reviews_hold/",
    "tests/stationmaster/assistants/test_replicas",
    "tests/stationmaster/cli/test_console",
    "tests/stationmaster/cli/test_reconcile",
    "tests/stationmaster/cli/test_serve",
    "tests/stationmaster/cli/test_up_console",
    "tests/stationmaster/reviews/test_crash",
    "tests/stationmaster/reviews/test_undelivered_served",
    "tests/stationmaster/reviews/test_vanishing",
    "tests/stationmaster/server/test_stamp",
    "tests/stationmaster/tracing/test_foreign_project",
)
"""Files whose tests start them themselves."""

ALWAYS = ("tests/agents/support/test_served_", "tests/agents/test_served_all_graphs")
"""What is not marked all the same: the support agent's whole job, and every graph under one server."""

FIRST = (
    "tests/reviews_hold/test_many.py",
    "tests/reviews_hold/",
    "tests/langgraph_runtime_community/",
    "tests/[il][na][bc]",
    "tests/stationmaster/demo/",
    "tests/stationmaster/crons/",
    "tests/stationmaster/assistants/",
    "tests/stationmaster/reconcile/",
    "tests/stationmaster/client/",
    "tests/examples/",
    "tests/agents/*test_served_",
    "tests/stationmaster/cli/test_up",
    "tests/stationmaster/console/pages/served/",
    "tests/stationmaster/console/pages/test_browser_",
    "tests/stationmaster/reviews/test_",
    "tests/agents/support/test_failures_served.py",
    "tests/stationmaster/postgres/test_embedded.py",
    "tests/stationmaster/cli/",
    "tests/stationmaster/server/",
    "tests/stationmaster/console/api/",
    "tests/webhooks/",
)
"""What waits for processes, longest first; one that is missing starts later."""


class BySharedServer(LoadFileScheduling):
    """A file's tests stay together, and so do the files of TOGETHER."""

    def _split_scope(self, nodeid: str) -> str:
        return next((start for start in TOGETHER if _starts(nodeid, start)), super()._split_scope(nodeid))


def rank(item: pytest.Item) -> int:
    """Its place in FIRST; the rest comes after all of them, in the order in which it was found."""
    return next((place for place, start in enumerate(FIRST) if _starts(item.nodeid, start)), len(FIRST))


def is_served(item: pytest.Item) -> bool:
    """Whether it needs servers, replicas or a browser, and is none of ALWAYS."""
    starts = _any_of(STARTING, item) or not SERVERS.isdisjoint(getattr(item, "fixturenames", ()))
    return starts and not _any_of(ALWAYS, item)


def _any_of(names: tuple[str, ...], item: pytest.Item) -> bool:
    return any(_starts(item.nodeid, name) for name in names)


def _starts(nodeid: str, start: str) -> bool:
    return fnmatchcase(nodeid, f"{start}*")

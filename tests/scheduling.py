"""Who runs which test when many workers share the run: files whose tests share a server stay with one worker, so that
it is started once, and what waits longest starts first, so that no worker is left alone with it at the end.
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
"""What waits for processes, longest first. A name that is gone does no harm; one that is missing starts later."""


class BySharedServer(LoadFileScheduling):
    """A file's tests stay together, and so do the files of TOGETHER."""

    def _split_scope(self, nodeid: str) -> str:
        return next((start for start in TOGETHER if _starts(nodeid, start)), super()._split_scope(nodeid))


def rank(item: pytest.Item) -> int:
    """Its place in FIRST; the rest comes after all of them, in the order in which it was found."""
    return next((place for place, start in enumerate(FIRST) if _starts(item.nodeid, start)), len(FIRST))


def _starts(nodeid: str, start: str) -> bool:
    return fnmatchcase(nodeid, f"{start}*")

"""`langgraph dev` whose idle queue looks for new runs every 50 ms instead of every half second.

Nothing else differs. A test that talks to an idle server would wait up to a second for each of its runs; that wait
is the in-memory queue's, shows nothing about what is tested, and was half of what `make test` took.
`python -P hurried.py ARGUMENTS OF langgraph`.
"""

import asyncio
import inspect
import sys
from pathlib import Path
from typing import Any

IDLE_S = 0.5
HURRIED_S = 0.05
QUEUE = "langgraph_runtime_inmem.ops"

_sleep = asyncio.sleep


def _hurried(delay: float, result: Any = None) -> Any:
    """The coroutine of `asyncio.sleep`; shorter for the queue alone."""
    frame = inspect.currentframe()
    caller = frame.f_back if frame else None
    if delay == IDLE_S and caller and caller.f_globals.get("__name__") == QUEUE:
        delay = HURRIED_S
    return _sleep(delay, result)


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))  # as `python -m langgraph_cli` has it
    asyncio.sleep = _hurried
    from langgraph_cli.cli import cli

    sys.argv[0] = "langgraph"
    cli()

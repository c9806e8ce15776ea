"""Tracing of one process: begun by its composition root, and free where nobody asked for it."""

import atexit
import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING

from stationmaster.settings import Settings
from stationmaster.tracing.destination import destination
from stationmaster.tracing.langsmith_log import keep_quiet

if TYPE_CHECKING:
    from stationmaster.tracing.exporting import Export
    from stationmaster.tracing.facts import Price
    from stationmaster.tracing.handler import Spans

STOP_S = 2.0
"""What the end of a process waits for an endpoint, at most, each time."""
_DRAIN_S = 0.02
_running: "Export | None" = None
_spans: "Spans | None" = None


def start(settings: Settings, price: "Price | None" = None) -> bool:
    """From now on every run of this process is traced, whoever starts it; False where no endpoint is set.

    Without one nothing of the exporter is imported. A second call adds the prices that the first did not know.
    """
    global _running, _spans
    if settings.langsmith_tracing:
        keep_quiet()
    to = destination(settings)
    if to is None:
        return False
    if _running is None:
        # Here, so that a process without tracing does not pay for them.
        from stationmaster.tracing.exporting import Export
        from stationmaster.tracing.handler import Spans

        _running = Export(to)
        _spans = Spans(_running.tracer, _running.ids, content=to.content)
        attach(_spans)
        atexit.register(_running.stop, STOP_S)
    if _spans is not None and price is not None:
        _spans.price = price
    return True


def attach(handler: "Spans") -> None:
    """LangChain asks its hooks at the beginning of each run; the default of a variable holds in every context."""
    from langchain_core.tracers.context import register_configure_hook  # a second: `up` need not wait for it

    register_configure_hook(ContextVar("stationmaster_spans", default=handler), inheritable=True)


def ending() -> None:
    """The server begins to stop: deliver what there is, and from here on at once.

    Runs are drained after this, and under `langgraph dev` the process then ends by its signal, without `atexit`.
    """
    if _running is None:
        return
    _running.flush(STOP_S)
    threading.Thread(
        target=_deliver_at_once, args=(_running,), name="stationmaster-last-spans", daemon=True
    ).start()


def _deliver_at_once(export: "Export") -> None:
    pause = threading.Event()
    while export.flush(STOP_S):
        pause.wait(_DRAIN_S)

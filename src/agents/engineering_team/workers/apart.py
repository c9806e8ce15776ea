"""Workers keep no checkpoints of their own: what one has in hand, nobody else can write."""

from typing import Any

from langgraph.pregel import Pregel


def apart(worker: Pregel[Any, Any, Any, Any]) -> Pregel[Any, Any, Any, Any]:
    """The same worker, which begins anew after a crash.

    Had it checkpoints below its node's, whoever may write the thread could write a report into them while a run is cut
    off, and it would be taken for the worker's own.
    """
    return worker.copy(update={"checkpointer": False})

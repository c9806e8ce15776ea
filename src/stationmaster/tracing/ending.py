"""How a span ends: done, interrupted, handed over, cancelled, or failed. What went wrong is told without its words."""

import asyncio
import traceback

from langgraph.errors import GraphBubbleUp, GraphInterrupt, ParentCommand
from langgraph.types import Interrupt
from opentelemetry.trace import Span, Status, StatusCode

from stationmaster.tracing.facts import OUTCOME, Facts, changes, clean, in_full

DONE, INTERRUPTED, HANDED_OVER, CANCELLED, FAILED = (
    "done",
    "interrupted",
    "handed over",
    "cancelled",
    "failed",
)
CUT_OFF = "cut off"
"""Its graph ended before it did."""
_FRAMES = 20


def control_flow(error: BaseException, *, content: bool) -> tuple[str, Facts] | None:
    """The outcome and its facts where the exception is LangGraph's way of saying something else; None for an error."""
    match error:
        case ParentCommand(args=[command, *_]):
            return HANDED_OVER, changes(command)
        case GraphInterrupt():
            return INTERRUPTED, _asked(error, content=content)
        case GraphBubbleUp():  # a subgraph's, a drain's, and what LangGraph may add
            return INTERRUPTED, {}
        case asyncio.CancelledError() | GeneratorExit():
            return CANCELLED, {}
        case _:
            return None


def _asked(error: GraphInterrupt, *, content: bool) -> Facts:
    """The ids of the questions: reviews know them by these."""
    found = [each for part in error.args for each in (part if isinstance(part, (list, tuple)) else [part])]
    asked = [each for each in found if isinstance(each, Interrupt)]
    told: Facts = {"langgraph.interrupt_ids": [each.id for each in asked]} if asked else {}
    return (
        {**told, "langgraph.questions": in_full([each.value for each in asked])}
        if content and asked
        else told
    )


def tell_error(span: Span, error: BaseException, *, content: bool, began_here: bool) -> None:
    """Its class; and where it began the way there, by files and lines. Its words may hold what a customer wrote."""
    kind = type(error).__qualname__
    full = kind if type(error).__module__ == "builtins" else f"{type(error).__module__}.{kind}"
    span.set_attributes({OUTCOME: FAILED, "error.type": full})
    span.set_status(Status(StatusCode.ERROR, kind))
    if not began_here:
        return
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    trail = "\n".join(f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames)
    words = {"exception.message": in_full(str(error))} if content else {}
    span.add_event("exception", clean({"exception.type": full, "exception.stacktrace": trail, **words}))

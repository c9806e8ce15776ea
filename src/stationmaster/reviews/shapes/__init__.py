"""Every kind of question that a thread can wait with: one module each, with the same functions (see `shape.Shape`).

shape = shapes.of(pending)
shape.describe(pending), shape.form(pending)      # never raise, whatever the payload is
shape.answer(pending, submission)                 # a Resume, or AnswerRefused with a sentence for each field
"""

import logging

from stationmaster.reviews.model import Pending
from stationmaster.reviews.shapes import (
    agent_inbox,
    breakpoint,  # noqa: A004 - the shape has this name
    hitl_batch,
    hitl_call,
    node_interrupt,
    plain,
    typed,
)
from stationmaster.reviews.shapes.shape import Shape

logger = logging.getLogger(__name__)

ORDER: tuple[Shape, ...] = (node_interrupt, breakpoint, agent_inbox, hitl_batch, hitl_call, typed, plain)
"""The first that recognises a question has it; `plain` takes what is left."""


def of(pending: Pending) -> Shape:
    """The shape of a question. A recogniser that fails is skipped, so that a malformed payload hides no other."""
    for shape in ORDER:
        try:
            if shape.recognise(pending):
                return shape
        except Exception:
            logger.warning("shape %s failed on %s", shape.NAME, pending.interrupt_id, exc_info=True)
    return plain


def named(name: str) -> Shape:
    """The shape that was kept on a review; `plain` for one that no longer exists."""
    return next((shape for shape in ORDER if name == shape.NAME), plain)

"""Finds passages for one question in every source that there is: a graph for other graphs to use.

    found = await retrieval.ainvoke({"question": "How long does delivery take?", "limit": 3})
    found["passages"]

The node that calls it maps its own state to `Input`, and `Output` back. It calls it once: a checkpointer can't tell two
calls of one subgraph in one task apart, so several questions are several tasks (`Send`).
"""

from agents.shared.retrieval.graph import retrieval
from agents.shared.retrieval.passages import Found, Passage, Place, Source, found_of, keep_once
from agents.shared.retrieval.state import Input, Output

__all__ = [
    "Found",
    "Input",
    "Output",
    "Passage",
    "Place",
    "Source",
    "found_of",
    "keep_once",
    "retrieval",
]

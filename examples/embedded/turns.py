"""A turn of the graph as server-sent events, from LangGraph's `astream_events`."""

import json
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph.state import CompiledStateGraph

logger = logging.getLogger(__name__)

SPEAKING = frozenset({"draft_reply"})
"""Nodes whose words are meant for the customer."""


async def turn(
    graph: CompiledStateGraph[Any, Any, Any, Any], thread_id: str, given: Any
) -> AsyncIterator[str]:
    """Run the graph on `given` (input, `Command`, or None to go on) and yield what happens:

    `node` {name}, `token` {text}, `message` {content}, and at the end one of `waits` {questions: [{id, value}]},
    `done` {outcome}, `error` {message}. What was saved before an error is kept; `given` None goes on from there.
    """
    config: RunnableConfig = {"configurable": {"thread_id": thread_id}}
    try:
        async for event in graph.astream_events(given, config, version="v2"):
            if (told := _told(event)) is not None:
                yield _sse(*told)
        yield _sse(*await standing(graph, thread_id))
    except Exception:  # whatever it is: the stream has begun, and there is no status left to say it with
        logger.exception("turn failed: thread %s", thread_id)
        yield _sse("error", {"message": "this turn failed; POST .../continue tries its last step again"})


async def standing(
    graph: CompiledStateGraph[Any, Any, Any, Any], thread_id: str
) -> tuple[str, dict[str, Any]]:
    """How the thread stands: `waits` for a person, `stopped` in the middle, or `done`."""
    state = await graph.aget_state({"configurable": {"thread_id": thread_id}})
    if state.interrupts:
        return "waits", {"questions": [{"id": each.id, "value": each.value} for each in state.interrupts]}
    if state.next:
        return "stopped", {"next": list(state.next)}
    return "done", {"outcome": state.values.get("outcome")}


def _told(event: Mapping[str, Any]) -> tuple[str, dict[str, Any]] | None:
    node = event.get("metadata", {}).get("langgraph_node")
    if event["event"] == "on_chat_model_stream" and node in SPEAKING:
        text = event["data"]["chunk"].text
        return ("token", {"text": text}) if text else None
    if event["name"] != node:
        return None  # a part of a node
    if event["event"] == "on_chain_start":
        return "node", {"name": node}
    output = event["data"].get("output")
    if event["event"] == "on_chain_end" and isinstance(output, Mapping) and output.get("messages"):
        last = output["messages"][-1]
        return ("message", {"content": last.text}) if getattr(last, "type", None) == "ai" else None
    return None


def _sse(event: str, data: Mapping[str, Any]) -> str:
    return f"event: {event}\ndata: {json.dumps(data, default=str)}\n\n"

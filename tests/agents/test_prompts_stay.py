"""An assistant's prompts belong to whoever wrote the assistant: no graph streams, keeps or saves them.

Every graph of langgraph.json runs its page's example in this process, with a mark in each of its prompts; a new graph
is covered by being declared. What is not in our hands is shown too: the `events` mode tells what goes into a model.
"""

from typing import Any
from uuid import uuid4

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver

from stationmaster.docs.pages import example, graphs
from tests.fakes.agent_server import CONFIG, ROOT

MARK = "mark-8131-of-the-product-manager"
MODES: Any = ["values", "updates", "messages", "custom", "debug", "tasks", "checkpoints"]
TOLD_BY_THE_LIBRARY = {"on_chat_model_start", "on_chat_model_end"}  # which say what went into the model
GRAPHS = graphs(CONFIG)


def marked(graph: Any) -> dict[str, Any]:
    """A context in which each prompt holds the mark; models are the written rules."""
    fields = graph.get_context_jsonschema()["properties"]
    prompts = {
        name: f"{MARK} {field['default']}" for name, field in fields.items() if name.endswith("prompt")
    }
    assert prompts, "a graph without a prompt of its own; what does its context call them?"
    return {"model": "offline:rules", **prompts}


def config() -> RunnableConfig:
    user = {"identity": "ann", "tenant": "main"}
    return {"configurable": {"thread_id": uuid4().hex, "langgraph_auth_user": user}}


def sent(name: str) -> dict[str, Any]:
    return example((ROOT / "docs" / "agents" / f"{name}.md").read_text(encoding="utf-8"))


@pytest.mark.usefixtures("agents_on_shop")
@pytest.mark.parametrize("name", sorted(GRAPHS))
async def test_no_prompt_is_streamed_or_saved(name: str) -> None:
    """In no mode, of no subgraph; and a model was told it, or there was nothing to leak."""
    saver, thread = InMemorySaver(), config()
    graph: Any = GRAPHS[name].copy(update={"checkpointer": saver})
    asked: dict[str, Any] = {"context": marked(graph), "stream_mode": MODES, "subgraphs": True}
    streamed: set[str] = set()
    telling: set[str] = set()
    async for event in graph.astream_events(sent(name), thread, version="v2", **asked):
        if event["event"] == "on_chain_stream" and not event["parent_ids"]:
            _, mode, part = event["data"]["chunk"]
            streamed.add(mode)
            assert MARK not in repr(part), mode
        elif MARK in repr(event):
            telling.add(event["event"])
    assert streamed >= {"values", "updates", "messages", "debug", "tasks", "checkpoints"}
    assert "on_chat_model_start" in telling
    assert telling <= TOLD_BY_THE_LIBRARY
    assert MARK not in repr(await graph.aget_state(thread, subgraphs=True))
    assert MARK not in repr((saver.storage, saver.blobs, saver.writes))

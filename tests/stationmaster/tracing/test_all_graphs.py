"""Every graph of langgraph.json, traced on the input that its page shows: one tree, and no word of what was said."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agents.shared.prices import price_of
from stationmaster.docs.pages import example, graphs
from tests.fakes.agent_server import CONFIG, ROOT
from tests.fakes.collector import drawn
from tests.stationmaster.tracing.tracing import Traced

SEVERAL_PROCESSES = ("coder",)
NAMES = [
    pytest.param(name, marks=[pytest.mark.slow] if name in SEVERAL_PROCESSES else [])
    for name in sorted(json.loads(CONFIG.read_text())["graphs"])
]
LONG = 12
"""Shorter texts are words that a graph has of its own (`refund`), or ids."""


def texts(value: Any) -> Iterator[str]:
    """All that somebody wrote in an input or in what a graph keeps of it."""
    match value:
        case str():
            yield value
        case dict():
            for part in value.values():
                yield from texts(part)
        case list() | tuple():
            for part in value:
                yield from texts(part)
        case _ if hasattr(value, "content"):
            yield from texts(value.content)


@pytest.mark.parametrize("name", NAMES)
async def test_its_example_is_one_tree_without_a_word_of_it(
    to_collector: Traced, agents_on_seeded_database: str, name: str
) -> None:
    asked = example((ROOT / "docs" / "agents" / f"{name}.md").read_text(encoding="utf-8"))
    graph = graphs(CONFIG)[name].copy(update={"checkpointer": InMemorySaver()})
    to_collector.handler.price = price_of
    kept = await graph.ainvoke(asked, to_collector.config(tenant="main"), context={})
    spans = to_collector.spans()
    assert len({span.trace for span in spans}) == 1 and len(drawn(spans)) == len(spans)
    ids = {span.id for span in spans}
    assert [span.name for span in spans if span.parent not in ids] == [f"invoke_agent {name}"]
    assert not [span for span in spans if span.failed]
    assert len(to_collector.handler.tree.open) == 0
    models = [span.attributes for span in spans if span.attributes.get("gen_ai.operation.name") == "chat"]
    assert all(said["stationmaster.usd"] == 0 and said["gen_ai.request.model"] == "rules" for said in models)
    sent = to_collector.collector.raw.decode("latin-1")
    said = {text for value in (asked, kept) for text in texts(value) if len(text) >= LONG and " " in text}
    assert said and [text for text in said if text in sent] == []

"""A project with the real langgraph.json around the smallest graph that can wait for a person."""

import json
from pathlib import Path

from tests.fakes.agent_server import CONFIG

GRAPH = """
from langgraph.graph import START, StateGraph
from langgraph.types import interrupt
from typing_extensions import TypedDict


class State(TypedDict):
    n: int


async def ask(state: State):
    return {"n": state["n"] + interrupt("how many more?")}


graph = StateGraph(State).add_node(ask).add_edge(START, "ask").compile()
"""


def tiny_project(directory: Path, module: str = "tiny", source: str = GRAPH) -> Path:
    """Write langgraph.json and the graph's module into `directory`; the path of the former."""
    config = json.loads(CONFIG.read_text())
    config["graphs"] = {"tiny": f"{module}:graph"}
    (directory / f"{module}.py").write_text(source)
    path = directory / "langgraph.json"
    path.write_text(json.dumps(config))
    return path

"""Memory savers where threads have to last."""

import ast
from collections.abc import Iterator

from langgraph.checkpoint.memory import InMemorySaver

from stationmaster.checking.audit import Whole
from stationmaster.checking.finding import Found, Place, Rule

NAMES = ("MemorySaver", "InMemorySaver")


def _find(whole: Whole) -> Iterator[Found]:
    found: set[Place] = set()
    for file in whole.files:
        for node in ast.walk(file.tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] in NAMES:
                place = Place(file.path, node.lineno, node.end_lineno or node.lineno)
                found.add(place)
                yield Found("", place, f"`{ast.unparse(node.func)}()` outside tests")
    for graph in whole.graphs:
        if isinstance(graph.pregel.checkpointer, InMemorySaver) and graph.place.file not in {
            p.file for p in found
        }:
            yield Found(graph.name, graph.place, "it is compiled with a memory saver")


RULE = Rule(
    name="memory-saver",
    looks_for="MemorySaver or InMemorySaver outside tests",
    why="Each restart forgets every thread: what was being said, and who waits for an answer.",
    write="no checkpointer: the server has its own (`stationmaster serve` keeps it in Postgres); elsewhere "
    "AsyncPostgresSaver",
    find=_find,
)

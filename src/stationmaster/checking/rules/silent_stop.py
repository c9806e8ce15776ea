"""`interrupt_after` on a last node."""

from collections.abc import Iterator

from stationmaster.checking.audit import Whole
from stationmaster.checking.compiled import END
from stationmaster.checking.finding import Found, Rule


def _find(whole: Whole) -> Iterator[Found]:
    for graph in whole.graphs:
        after = graph.pregel.interrupt_after_nodes
        for name in sorted(graph.nodes if after == "*" else after):
            ways = graph.ways.get(name, set())
            if ways <= {END}:
                yield Found(graph.name, graph.place, f"it stops after {name}, which is a last node")
            elif END in ways and after != "*":
                yield Found(graph.name, graph.place, f"it stops after {name}, which may be the last node")


RULE = Rule(
    name="silent-stop",
    looks_for="`interrupt_after` on a last node",
    why="Nothing is left to run, so `next` is empty: no client and no inbox can tell that it waits.",
    write="a node behind it that does what the person is asked about, or interrupt() in the node",
    find=_find,
)

"""Graphs that are a function."""

from collections.abc import Iterator

from stationmaster.checking.audit import Whole
from stationmaster.checking.compiled import Graph
from stationmaster.checking.finding import Found, Rule
from stationmaster.checking.reading.flow import pauses_inside
from stationmaster.checking.reading.standing import Live


def _find(whole: Whole) -> Iterator[Found]:
    for graph in whole.graphs:
        if graph.nodes and not _turns(graph) and not _pauses(graph):
            steps = " > ".join(graph.nodes) if len(graph.nodes) < 6 else f"{len(graph.nodes)} nodes"
            yield Found(graph.name, graph.place, f"it has no branch, no cycle and no pause: {steps}")


def _turns(graph: Graph) -> bool:
    """Whether it may take more than one way, or several at once."""
    fans_out = any(len(targets) > 1 for targets in graph.ways.values())
    goes = any(_commands(graph, name) for name in graph.nodes)
    chooses = any(router.ends is None or len({*router.ends.values()}) > 1 for router in graph.routers)
    return bool(chooses or graph.cycles or fans_out or goes)


def _commands(graph: Graph, name: str) -> bool:
    node = graph.nodes[name]
    return bool(node.ends) or any("goto" in function.live.__code__.co_consts or _goto(function.live.__code__.co_consts)
                                  for function in node.functions)  # fmt: skip


def _goto(constants: tuple[object, ...]) -> bool:
    """Names of keyword arguments are kept as a tuple among the constants."""
    return any(isinstance(each, tuple) and "goto" in each for each in constants)


def _pauses(graph: Graph) -> bool:
    if graph.pregel.interrupt_before_nodes or graph.pregel.interrupt_after_nodes:
        return True
    return any(
        node.flow.pauses
        or node.graph is not None
        or any(pauses_inside(Live(each.live)) for each in node.functions)
        for node in graph.nodes.values()
    )


RULE = Rule(
    name="straight-line",
    looks_for="a graph without a branch, a cycle or a pause",
    why="A function that calls these one after the other does the same, without checkpoints, state and a server.",
    write="a plain function; or keep the graph for its retries and its history, and say so in a comment",
    find=_find,
)

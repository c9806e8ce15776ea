"""Cycles that nothing ends but the recursion limit."""

from collections.abc import Iterator

from stationmaster.checking.audit import Whole
from stationmaster.checking.compiled import Graph
from stationmaster.checking.finding import Found, Rule
from stationmaster.checking.reading import counting
from stationmaster.checking.reading.flow import flow_of
from stationmaster.checking.reading.functions import Function

LIMITING = ("ModelCallLimitMiddleware", "ToolCallLimitMiddleware")


def _find(whole: Whole) -> Iterator[Found]:
    for graph in whole.graphs:
        for cycle in unlimited(graph):
            around = ", ".join(sorted(cycle)) if len(cycle) > 1 else f"{next(iter(cycle))} on itself"
            limit = (graph.pregel.config or {}).get("recursion_limit")
            ends = f"only the recursion limit of {limit} ends" if limit else "nothing ends"
            yield Found(graph.name, graph.place, f"{ends} the cycle of {around}")


def unlimited(graph: Graph) -> list[frozenset[str]]:
    """The cycles in which nothing is counted. One that a person is asked in is ended by them."""
    managed = {"RemainingStepsManager", "IsLastStepManager"}
    if managed & {getattr(each, "__name__", "") for each in getattr(graph.builder, "managed", {}).values()}:
        return []
    return [cycle for cycle in _unasked(graph) if not _counts(graph, cycle)]


def _unasked(graph: Graph) -> list[frozenset[str]]:
    stops = {*graph.pregel.interrupt_after_nodes, *graph.pregel.interrupt_before_nodes}
    # A tool that asks is called by a model or not.
    gates = (node for node in graph.nodes.values() if not hasattr(node.runnable, "tools_by_name"))
    asks = {node.name for node in gates if node.flow.pauses} | stops
    return graph.cycles_without(frozenset(asks))


def _counts(graph: Graph, cycle: frozenset[str]) -> bool:
    if any(name.startswith(LIMITING) for name in cycle):
        return True
    functions: list[Function] = []
    deciding: list[Function] = []
    for name in cycle:
        functions += graph.nodes[name].flow.functions.values()
        if graph.commanded(graph.nodes[name]).targets:
            deciding += graph.nodes[name].flow.functions.values()
    for router in graph.routers:
        if router.source in cycle and router.function is not None:
            deciding += flow_of([router.function], graph.roots).functions.values()
    ours = [each for each in (*functions, *deciding) if graph.is_ours(each)]
    return counting.ends(ours, [each for each in deciding if graph.is_ours(each)], graph.channels)


RULE = Rule(
    name="no-ceiling",
    looks_for="a cycle in which nothing is counted, so that only the recursion limit ends it, or nothing",
    why="A model that repeats itself goes round until the recursion limit (10,007 steps by default) raises: the run "
    "fails, after it was paid for.",
    write="a counter in the state, compared in the router that leads out of the cycle with an honest answer "
    "(`remaining_steps: RemainingSteps` counts by itself; for create_agent, ModelCallLimitMiddleware)",
    find=_find,
)

"""Keys without a reducer that two nodes of one super-step may write."""

from collections.abc import Iterator

from stationmaster.checking.audit import Whole
from stationmaster.checking.compiled import Graph
from stationmaster.checking.finding import Found, Rule
from stationmaster.checking.reading import writes
from stationmaster.checking.reading.reads import SINGLE
from stationmaster.checking.reading.writes import Written
from stationmaster.checking.schemas import key_place

SHOWN = 3


def _find(whole: Whole) -> Iterator[Found]:
    for graph in whole.graphs:
        pairs = whole.together(graph)
        sides = {name for pair in pairs.pairs for name in pair}
        written = {name: _written(graph, name) for name in sides}
        for name in sorted(pairs.unknown):
            whole.note(
                f"{graph.name}: where {name} leads could not be read in full; it was taken to be one node at a time"
            )
        for name in sorted(name for name in sides if written[name].unknown):
            place = written[name].unknown[0]
            whole.note(
                f"{graph.name}: {name} may write more keys than could be read ({place.file.name}:{place.line})"
            )
        yield from _clashes(graph, sorted(pairs.pairs), written)


def _clashes(graph: Graph, pairs: list[tuple[str, str]], written: dict[str, Written]) -> Iterator[Found]:
    clashes: dict[str, list[tuple[str, str]]] = {}
    for one, other in pairs:
        for key in written[one].keys.keys() & written[other].keys.keys():
            channel = type(graph.channels.get(key)).__name__
            both = key in written[one].overwrites and key in written[other].overwrites
            if channel in SINGLE or (channel == "BinaryOperatorAggregate" and both):
                clashes.setdefault(key, []).append((one, other))
    for key, between in sorted(clashes.items()):
        place = key_place(graph.schema, key) or written[between[0][0]].keys[key]
        shown = [one if one == other else f"{one} and {other}" for one, other in between[:SHOWN]]
        more = f", and {len(between) - SHOWN} more pairs" if len(between) > SHOWN else ""
        several = all(one == other for one, other in between)
        who = (
            f"{shown[0]} writes {key!r}, and runs several times"
            if several
            else (f"{key!r} is written by {'; by '.join(shown)}{more},")
        )
        over = type(graph.channels.get(key)).__name__ == "BinaryOperatorAggregate"
        tail = "in one super-step" if several else "which can run in one super-step"
        yield Found(
            graph.name, place, f"{who} {tail}" + (", both past its reducer" if over else ", and has no reducer"),
            write="`Overwrite` in one node, before the others run" if over else None,
        )  # fmt: skip


def _written(graph: Graph, name: str) -> Written:
    """What a node writes; a subgraph what it gives out that this graph knows."""
    node = graph.nodes[name]
    if node.graph is not None:
        channels = node.graph.output_channels
        names = [channels] if isinstance(channels, str) else channels
        return Written({key: node.place for key in names if key in graph.channels})
    if hasattr(node.runnable, "tools_by_name"):
        return Written({"messages": node.place})
    return writes.of_node(node.functions, graph.roots, node.schema)


RULE = Rule(
    name="no-reducer",
    looks_for="a key without a reducer that is written by nodes that can run in one super-step",
    why="LangGraph takes one value a step: the run fails with InvalidUpdateError, on the inputs that take both ways.",
    write="`key: Annotated[list[...], operator.add]` (or a reducer that drops repetitions), or one node that writes it",
    find=_find,
)

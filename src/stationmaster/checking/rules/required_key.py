"""Keys that every thread has to have, although older threads have none."""

from collections.abc import Iterator, Mapping

from stationmaster.checking import schemas
from stationmaster.checking.audit import Whole
from stationmaster.checking.compiled import Graph
from stationmaster.checking.finding import Found, Place, Rule
from stationmaster.checking.reading import writes
from stationmaster.checking.reading.reads import Read, unwritten

OF_MODEL = "a default (`field: int | None = None`); what can't do without it computes it on first read"


def _find(whole: Whole) -> Iterator[Found]:
    by_name = {graph.name: graph for graph in whole.graphs}
    for graph in whole.graphs:
        if graph.builder is None:
            continue
        keys = schemas.required(graph.schema) - _of_callers(graph)
        if schemas.is_checked(graph.schema):
            for key in sorted(keys):
                yield Found(graph.name, _declared(graph, key), f"{key!r} has no default", write=OF_MODEL)
            continue
        written = _written(graph, by_name)
        reads: dict[str, tuple[str, Read]] = {}
        for name in _pausing(graph):
            for key, read in unwritten(graph, name).items():
                if key in keys & written:
                    reads.setdefault(key, (name, read))
        for key, (name, read) in sorted(reads.items()):
            where = f"{read.place.file.name}:{read.place.line}"
            said = f"{key!r} is required, and {read.who} reads it without a default ({where}) once {name} was answered"
            yield Found(graph.name, _declared(graph, key), said)


def _pausing(graph: Graph) -> list[str]:
    """The nodes in which threads wait, subgraphs among them; behind a breakpoint after a node, those that come next."""
    after = graph.pregel.interrupt_after_nodes
    behind = {each for name in (graph.nodes if after == "*" else after) for each in graph.ways.get(name, ())}
    before = graph.pregel.interrupt_before_nodes
    stops = set(graph.nodes if before == "*" else before) | behind
    return [
        node.name for node in graph.nodes.values() if node.flow.pauses or node.graph or node.name in stops
    ]


def _written(graph: Graph, by_name: Mapping[str, Graph]) -> set[str]:
    """What nodes write, those of subgraphs too. A key that none writes comes from callers: each thread began so."""
    found: set[str] = set()
    for node in graph.nodes.values():
        inner = by_name.get(f"{graph.name}/{node.name}")
        found |= (
            _written(inner, by_name)
            if inner
            else set(writes.of_node(node.functions, graph.roots, node.schema).keys)
        )
    return found


def _of_callers(graph: Graph) -> set[str]:
    """Required of callers by an input schema of its own: a thread began with it."""
    own = graph.builder.input_schema
    return schemas.required(own) if own is not graph.schema else set()


def _declared(graph: Graph, key: str) -> Place:
    return schemas.key_place(graph.schema, key) or graph.place


RULE = Rule(
    name="required-key",
    looks_for="a required key that is read without a default behind a pause; of a model, any key without a default",
    why="A thread that was paused before there was such a key holds no value for it: its resume ends in a KeyError.",
    write="`key: NotRequired[...]` and `state.get('key', default)`; or a node that computes it where it is missing",
    find=_find,
)

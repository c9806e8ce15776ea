"""Keys that every thread has to have, although older threads have none."""

from collections.abc import Iterator

from stationmaster.checking import schemas
from stationmaster.checking.audit import Whole
from stationmaster.checking.compiled import Graph
from stationmaster.checking.finding import Found, Place, Rule
from stationmaster.checking.reading.reads import Read, of_graph
from stationmaster.checking.rules.no_reducer import SINGLE

OF_MODEL = "a default (`field: int | None = None`); what can't do without it computes it on first read"


def _find(whole: Whole) -> Iterator[Found]:
    for graph in whole.graphs:
        if graph.builder is None:
            continue
        keys = schemas.required(graph.schema) - _of_callers(graph)
        if schemas.is_checked(graph.schema):
            for key in sorted(keys):
                yield Found(graph.name, _declared(graph, key), f"{key!r} has no default", write=OF_MODEL)
            continue
        reads: dict[str, Read] = {}
        for read in of_graph(graph):
            if read.key in keys and type(graph.channels.get(read.key)).__name__ in SINGLE:
                reads.setdefault(read.key, read)
        for key, read in sorted(reads.items()):
            where = f"{read.place.file.name}:{read.place.line}"
            said = f"{key!r} is required, and {read.who} reads it without a default ({where})"
            yield Found(graph.name, _declared(graph, key), said)


def _of_callers(graph: Graph) -> set[str]:
    """Required of callers by an input schema of its own: a thread began with it."""
    own = graph.builder.input_schema
    return schemas.required(own) if own is not graph.schema else set()


def _declared(graph: Graph, key: str) -> Place:
    return schemas.key_place(graph.schema, key) or graph.place


RULE = Rule(
    name="required-key",
    looks_for="a key of the state that is required, has no default, and is read without one",
    why="A thread that was paused before there was such a key holds no value for it: its resume ends in a KeyError.",
    write="`key: NotRequired[...]` and `state.get('key', default)`; or a node that computes it where it is missing",
    find=_find,
)

"""States of more keys than anybody keeps in mind."""

from collections.abc import Iterator

from stationmaster.checking import schemas
from stationmaster.checking.audit import Whole
from stationmaster.checking.finding import Found, Rule

MOST = 20


def _find(whole: Whole) -> Iterator[Found]:
    for graph in whole.graphs:
        if graph.builder is None:
            continue
        keys = [key for key in graph.builder.schemas.get(graph.schema, {}) if key in graph.channels]
        if len(keys) > MOST:
            place = schemas.class_place(graph.schema) or graph.place
            yield Found(graph.name, place, f"the state has {len(keys)} keys, and {MOST} are many")


RULE = Rule(
    name="many-keys",
    looks_for=f"a state of more than {MOST} keys",
    why="Loosely related keys are written from everywhere, none is cleared where it should be, and each is in every "
    "checkpoint.",
    write="keys that belong together as one value, what one part alone needs in the state of a subgraph, and large "
    "things in a table with a reference to them",
    find=_find,
)

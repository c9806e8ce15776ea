"""Several pauses in a loop whose order may change."""

from collections.abc import Iterator

from stationmaster.checking.audit import Whole
from stationmaster.checking.finding import Found, Rule


def _find(whole: Whole) -> Iterator[Found]:
    for graph in whole.graphs:
        for node in graph.nodes.values():
            for pause in sorted(node.flow.pauses, key=lambda pause: pause.place):
                for place, why in pause.around.loops:
                    said = f"{node.name}: the interrupt() of line {pause.place.line} is asked in no fixed order: {why}"
                    yield Found(graph.name, place, said)


RULE = Rule(
    name="unordered-pause",
    looks_for="interrupt() in a loop over what may come in another order when the node runs again",
    why="Answers are given to questions by their order: the second run would give an answer to another question.",
    write="a loop over a list of the state, or over `sorted(...)`; or a task for each question, by `Send`",
    find=_find,
)

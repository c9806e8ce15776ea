"""Pauses under a handler that swallows them."""

from collections.abc import Iterator

from stationmaster.checking.audit import Whole
from stationmaster.checking.finding import Found, Rule


def _find(whole: Whole) -> Iterator[Found]:
    for graph in whole.graphs:
        for node in graph.nodes.values():
            for pause in sorted(node.flow.pauses, key=lambda pause: pause.place):
                for place, said in pause.around.guards:
                    yield Found(
                        graph.name,
                        place,
                        f"{node.name}: {said} catches the interrupt() of line {pause.place.line}",
                    )


RULE = Rule(
    name="swallowed-pause",
    looks_for="interrupt() below a handler of Exception that does not raise it again",
    why="interrupt() raises an exception that has to leave the node: caught, nobody is asked, and the node goes on.",
    write="`except GraphBubbleUp: raise` above the handler, or a handler of the errors that are meant",
    find=_find,
)

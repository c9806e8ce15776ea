"""Routers that do I/O or ask a model."""

from collections.abc import Iterator

from stationmaster.checking.audit import Whole
from stationmaster.checking.compiled import Router
from stationmaster.checking.finding import Found, Place, Rule
from stationmaster.checking.reading.files import is_ours
from stationmaster.checking.reading.flow import flow_of
from stationmaster.checking.reading.knowing import asks_a_model

DOES = {"write": "changes something", "read": "does I/O", "model": "asks a model, or runs a graph"}


def _find(whole: Whole) -> Iterator[Found]:
    for graph in whole.graphs:
        for router in graph.routers:
            if asks_a_model(router.runnable):
                yield Found(graph.name, router.place, f"the router behind {router.source} asks a model")
            if router.function is None or not is_ours(router.function.file.path, whole.roots):
                continue
            for done in sorted(flow_of([router.function], whole.roots).effects, key=lambda done: done.place):
                said = f"{router.function.name}, the router behind {router.source}, {DOES[done.effect.kind]}"
                yield Found(graph.name, _nearest(router, done.place), f"{said}: `{done.effect.what}`")


def _nearest(router: Router, place: Place) -> Place:
    """The line itself where it is in the router; else the router, which is what has to change."""
    function = router.function
    assert function is not None
    first, last = function.node.lineno, function.node.end_lineno or function.node.lineno
    return place if place.file == function.file.path and first <= place.line <= last else function.place


RULE = Rule(
    name="router-effect",
    looks_for="a router (a conditional edge) that does I/O, changes something or asks a model",
    why="A router's answer is not kept: it is asked again on a replay, is retried by no policy, and shows in no trace.",
    write="a node that does the work and writes what it found into the state; the router then only reads it",
    find=_find,
)

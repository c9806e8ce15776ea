"""A graph that can't be loaded: the server would not start with it."""

from collections.abc import Iterator

from stationmaster.checking.audit import Whole
from stationmaster.checking.finding import Found, Rule


def _find(whole: Whole) -> Iterator[Found]:
    for each in whole.loaded:
        if each.problem:
            yield Found(each.name, each.place, each.problem)


RULE = Rule(
    name="not-loaded",
    looks_for="a graph of langgraph.json that can't be imported, or is none",
    why="The Agent Server stops at its start, with all other graphs.",
    write="what the message says is missing; a graph is named as `package.module:variable`",
    find=_find,
)

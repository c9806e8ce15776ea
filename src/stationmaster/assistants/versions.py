"""Assistants by name, their versions, and what each version changed."""

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from stationmaster.assistants.differing import Difference, differences, routing
from stationmaster.assistants.errors import NoSuchAssistant, NotOurs
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import ServedAssistant, assistant_id


@dataclass(frozen=True)
class Step:
    """One version in an assistant's history. `changes`: from the version before, none for the first.

    `routing` and `routed_before`: canary and pins in words, since starting a canary is a version too.
    """

    version: ServedAssistant
    changes: tuple[Difference, ...]
    current: bool
    routing: str
    routed_before: str

    @property
    def rerouted(self) -> bool:
        return self.routing != self.routed_before


def name_of(assistant: ServedAssistant) -> str:
    """The name under which people know it: a file's, else the server's."""
    return assistant.known_as or assistant.name or assistant.assistant_id


async def listed(gateway: Gateway, *, every: bool = False) -> list[ServedAssistant]:
    """By graph and name, live ones first; the one that the server makes for each graph only with `every`."""
    found = [each for each in await gateway.assistants() if every or not each.system]
    return sorted(found, key=lambda each: (each.graph, not each.live, name_of(each)))


async def find(gateway: Gateway, name: str) -> ServedAssistant:
    """The assistant of that name, or that id. NoSuchAssistant names those that are near."""
    # One of ours has an id that follows from its name: no list is asked for.
    ours = await gateway.assistant(assistant_id(name))
    if ours and ours.owned:
        return ours
    found = await gateway.assistants()
    named = [each for each in found if name in (each.assistant_id, each.name)]
    if len(named) > 1:
        ids = ", ".join(each.assistant_id for each in named)
        raise NoSuchAssistant(f"{len(named)} assistants are named {name}: give the id of one ({ids})")
    if not named:
        raise NoSuchAssistant(f"no assistant is named {name}{_near(name, map(name_of, found))}")
    return named[0]


async def find_ours(gateway: Gateway, name: str) -> ServedAssistant:
    """The same, if it may be changed here. NotOurs."""
    found = await find(gateway, name)
    if not found.owned:
        whose = "the server makes it anew for its graph" if found.system else "somebody else made it"
        raise NotOurs(
            f"{name_of(found)} is not Stationmaster's ({whose}), so it is not changed here: "
            f"describe it in assistants/*.yaml and apply that"
        )
    return found


async def history(
    gateway: Gateway, assistant: ServedAssistant, *, before: int | None = None, most: int | None = None
) -> list[Step]:
    """Newest first: all versions, or a page of at most so many of those older than `before`."""
    rows = await _rows(gateway, assistant.assistant_id, before, most)
    steps = [
        Step(
            version=row,
            changes=differences(older, row) if older else (),
            current=row.version == assistant.version,
            routing=routing(row.metadata),
            routed_before=routing(older.metadata) if older else "",
        )
        for row, older in zip_longest(rows, rows[1:])
    ]
    return steps[:most]


def older_than(steps: Sequence[Step]) -> int | None:
    """Where the next page of a history goes on: `before` of it; None on the last. The first version is number 1."""
    last = steps[-1].version.version if steps else 1
    return last if last > 1 else None


async def numbers(gateway: Gateway, assistant: ServedAssistant, most: int) -> list[int]:
    """The newest versions' numbers, newest first; there are no gaps."""
    newest = await gateway.versions_before(assistant.assistant_id, None, 1)
    top = newest[0].version if newest else assistant.version
    return list(range(top, max(0, top - most), -1))


async def _rows(
    gateway: Gateway, assistant_id: str, before: int | None, most: int | None
) -> tuple[ServedAssistant, ...]:
    """With one more behind the page, so that its last version can be compared with what it replaced."""
    if most is not None:
        return await gateway.versions_before(assistant_id, before, most + 1)
    return await gateway.versions(assistant_id)


async def version_of(gateway: Gateway, assistant: ServedAssistant, number: int | None) -> ServedAssistant:
    """One version of it; the current one for None."""
    if number is None:
        return assistant
    rows = await gateway.versions_before(assistant.assistant_id, number + 1, 1) if number > 0 else ()
    found = next((row for row in rows if row.version == number), None)
    if found is None:
        newest = await numbers(gateway, assistant, 1)
        have = f"1 to {newest[0]}" if newest else "none"
        raise NoSuchAssistant(f"{name_of(assistant)} has no version {number}: it has {have}")
    return found


async def referred(gateway: Gateway, text: str) -> ServedAssistant:
    """`support` is its current version, `support@3` its third."""
    name, at, number = text.rpartition("@")
    if not at:
        return await find(gateway, text)
    if not number.isdecimal():
        raise NoSuchAssistant(f"{text}: a version is written as NAME@NUMBER, such as support@3")
    return await version_of(gateway, await find(gateway, name), int(number))


def ref(version: ServedAssistant) -> str:
    """`support@3`."""
    return f"{name_of(version)}@{version.version}"


def _near(name: str, names: Iterable[str]) -> str:
    known = sorted(set(names))
    near = difflib.get_close_matches(name, known, n=1)
    if near:
        return f": did you mean {near[0]}?"
    return (
        f": there are {', '.join(known[:10])}"
        if known
        else ": the server has none, apply assistants/*.yaml first"
    )

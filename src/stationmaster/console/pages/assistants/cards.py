"""All assistants as cards by graph: which is live, at which version, with which canary, and what waits for a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.assistants.differing import drifted
from stationmaster.assistants.impact import waiting_by_assistant
from stationmaster.assistants.routes import Routes, percent
from stationmaster.assistants.versions import listed, name_of
from stationmaster.console.pages.assistants.addresses import ALL, href
from stationmaster.console.pages.assistants.words import Change, change_of
from stationmaster.console.pages.render import page
from stationmaster.console.pages.served import gateway, served
from stationmaster.console.services import services
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.reviews.access.identity import Identity


@dataclass(frozen=True)
class Card:
    """One assistant. `canary`: `support-next at 10%`. `tried_by`: live ones that give it a share of their threads."""

    name: str
    href: str
    description: str
    version: int
    live: bool
    owned: bool
    system: bool
    drifted: bool
    canary: str
    pins: int
    tried_by: tuple[str, ...]
    waiting: int
    change: Change


@dataclass(frozen=True)
class Group:
    """The assistants of one graph, live ones first."""

    graph: str
    cards: tuple[Card, ...]


@served
async def cards(request: Request, viewer: Identity) -> Response:
    """For everybody who is signed in; changing is for editors."""
    found = await listed(gateway(request), every=True)
    waiting = await waiting_by_assistant(services(request).pool)
    return page(request, "assistants/cards.html", viewer, current=ALL, groups=groups(found, waiting))


def groups(found: Sequence[ServedAssistant], waiting: Mapping[str, int]) -> list[Group]:
    """By graph, graphs without an assistant of their own last. Pure."""
    graphs = sorted({each.graph for each in found})
    shown = sorted(
        (each for each in found if not each.system),
        key=lambda each: (not each.live, not each.owned, name_of(each)),
    )
    tried: dict[str, list[str]] = {}
    for each in shown:
        if canary := Routes.of(each.metadata).canary:
            tried.setdefault(canary.arm.assistant_id, []).append(
                f"{percent(canary.share)} of {name_of(each)}"
            )
    made = [
        Group(
            graph,
            tuple(
                _card(each, waiting.get(each.assistant_id, 0), tuple(tried.get(each.assistant_id, ())))
                for each in shown
                if each.graph == graph
            ),
        )
        for graph in graphs
    ]
    return sorted(made, key=lambda group: not group.cards)


def _card(each: ServedAssistant, waiting: int, tried_by: tuple[str, ...]) -> Card:
    routes = Routes.of(each.metadata)
    canary = routes.canary
    return Card(
        name=name_of(each), href=href(each), description=each.description, version=each.version, live=each.live,
        owned=each.owned, system=each.system, drifted=each.owned and drifted(each),
        canary=f"{canary.arm.name} at {percent(canary.share)}" if canary else "", pins=len(routes.pins),
        tried_by=tried_by, waiting=waiting, change=change_of(each),
    )  # fmt: skip

"""What every page about one assistant says of it at its top, and where its other pages are."""

from dataclasses import dataclass

from starlette.requests import Request

from stationmaster.assistants.differing import drifted
from stationmaster.assistants.editing import held_by_file
from stationmaster.assistants.routes import Routes, percent
from stationmaster.assistants.versions import name_of
from stationmaster.console.pages.assistants.addresses import href
from stationmaster.console.pages.assistants.words import Change, change_of
from stationmaster.console.services import services
from stationmaster.reconcile.resources import ServedAssistant
from stationmaster.reviews.access.identity import Identity


@dataclass(frozen=True)
class Head:
    """What every page about an assistant says of it, and where its other pages are."""

    name: str
    href: str
    graph: str
    description: str
    version: int
    live: bool
    owned: bool
    system: bool
    held: bool
    """Only its file may change it."""
    drifted: bool
    canary: str
    pins: tuple[tuple[str, str], ...]
    change: Change
    may_edit: bool

    def at(self, part: str) -> str:
        return f"{self.href}/{part}"


def head_of(request: Request, viewer: Identity, found: ServedAssistant) -> Head:
    routes = Routes.of(found.metadata)
    canary = routes.canary
    return Head(
        name=name_of(found), href=href(found), graph=found.graph, description=found.description, version=found.version,
        live=found.live, owned=found.owned, system=found.system,
        held=held_by_file(found, allow_drift=services(request).settings.allow_drift),
        drifted=found.owned and drifted(found),
        canary=f"{canary.arm.name} at {percent(canary.share)}" if canary else "",
        pins=tuple((key, arm.name) for key, arm in sorted(routes.pins.items())), change=change_of(found),
        may_edit=viewer.has("editor"),
    )  # fmt: skip

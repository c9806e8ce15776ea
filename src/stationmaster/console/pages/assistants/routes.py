"""Where each page about assistants is."""

from starlette.routing import Route

from stationmaster.console.pages.assistants import (
    canary,
    cards,
    one,
    saving,
    starting,
    switching,
    trying,
    versions,
)
from stationmaster.console.pages.assistants.addresses import ALL


def routes() -> list[Route]:
    """All of them, below /assistants."""
    each = f"{ALL}/{{name}}"
    return [
        Route(ALL, cards.cards),
        Route(each, one.one),
        Route(f"{each}/draft", saving.draft, methods=["POST"]),
        Route(f"{each}/save", saving.save, methods=["POST"]),
        Route(f"{each}/edit", saving.edit, methods=["POST"]),
        *(Route(f"{each}/{deed}", saving.back) for deed in ("draft", "save", "edit")),
        Route(f"{each}/file", saving.file, methods=["GET", "POST"]),
        Route(f"{each}/versions", versions.versions),
        Route(f"{each}/diff", versions.diff),
        Route(f"{each}/promote", switching.promote),
        Route(f"{each}/promote", switching.carry, methods=["POST"]),
        Route(f"{each}/rollback", switching.rollback),
        Route(f"{each}/rollback", switching.carry, methods=["POST"]),
        Route(f"{each}/canary", canary.canary),
        Route(f"{each}/canary", canary.end_it, methods=["POST"]),
        Route(f"{each}/canary/start", starting.look),
        Route(f"{each}/canary/start", starting.start, methods=["POST"]),
        Route(f"{each}/try", trying.look),
        Route(f"{each}/try", trying.tried, methods=["POST"]),
        Route(f"{each}/try/stream", trying.streamed, methods=["POST"]),
    ]

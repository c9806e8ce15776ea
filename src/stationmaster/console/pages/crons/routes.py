"""Where each page about crons is."""

from starlette.routing import Route

from stationmaster.console.pages.crons import acting, one, overview
from stationmaster.console.pages.crons.addresses import ALL


def routes() -> list[Route]:
    """All of them, below /crons."""
    each = f"{ALL}/{{name}}"
    return [
        Route(ALL, overview.crons),
        Route(each, one.one),
        Route(f"{each}/pause", acting.pause, methods=["POST"]),
        Route(f"{each}/resume", acting.resume, methods=["POST"]),
        Route(f"{each}/run", acting.run, methods=["POST"]),
        *(Route(f"{each}/{deed}", acting.back) for deed in ("pause", "resume", "run")),
        Route(f"{each}/file", acting.file),
    ]

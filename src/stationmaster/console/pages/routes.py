"""Every page's address. Whoever adds one adds it here, and to the test that tries them all without a right."""

from starlette.responses import Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from stationmaster.console.pages import (
    answering,
    assistants,
    auditing,
    crons,
    history,
    inbox,
    operating,
    reviewing,
)
from stationmaster.console.pages.render import STATIC


class Static(StaticFiles):
    """Our files. A browser asks each time whether one has changed, so that a new release shows at once."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


def routes() -> list[BaseRoute]:
    """What the console mounts at its root, after sign-in and API."""
    one = "/reviews/{review_id}"
    return [
        Route("/", inbox.inbox),
        Route(one, reviewing.review),
        Route(f"{one}/payload.json", reviewing.payload),
        Route(f"{one}/thread", reviewing.thread_now),
        Route(f"{one}/result", reviewing.result),
        Route(f"{one}/decide", answering.decide, methods=["POST"]),
        # Where a refused answer was drawn, and whoever comes by that address again only wants to look.
        *(
            Route(f"{one}/{deed}", reviewing.back_to)
            for deed in ("decide", "undo", "claim", "release", "comments", "settle")
        ),
        Route(f"{one}/undo", answering.undo, methods=["POST"]),
        Route(f"{one}/claim", answering.claim, methods=["POST"]),
        Route(f"{one}/release", answering.release, methods=["POST"]),
        Route(f"{one}/comments", answering.comment, methods=["POST"]),
        Route(f"{one}/settle", operating.settle, methods=["POST"]),
        Route("/history", history.history),
        Route("/audit", auditing.entries),
        Route("/operations", operating.operations),
        Route("/operations/deliveries/{delivery_id}/retry", operating.retry_delivery, methods=["POST"]),
        Route("/operations/replay", operating.replay, methods=["POST"]),
        *assistants.routes(),
        *crons.routes(),
        Mount("/static", Static(directory=STATIC)),
    ]

"""What pages about the Agent Server share: the ways to ask it, and how they say that it is away or refused."""

from functools import wraps

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.console import at_server
from stationmaster.console.at_server import in_time, refusal_of
from stationmaster.console.pages.people import Endpoint, View, signed_in
from stationmaster.console.pages.render import page
from stationmaster.console.services import services
from stationmaster.crons.desk import CronDesk
from stationmaster.errors import StationmasterError
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.errors import ReviewError


def gateway(request: Request) -> Gateway:
    """The server's assistants and crons."""
    return at_server.gateway(services(request))


def cron_desk(request: Request) -> CronDesk:
    """What the crons' room needs: the server and the history."""
    return at_server.cron_desk(services(request))


def served(view: View) -> Endpoint:
    """An endpoint for those who are signed in; a server that is away, or has no such thing, is told as such."""

    @wraps(view)
    async def told(request: Request, viewer: Identity) -> Response:
        try:
            return await in_time(services(request), view(request, viewer))
        except ReviewError:
            raise
        except StationmasterError as error:
            refusal = refusal_of(error)
            if refusal is None:
                raise
            status, _ = refusal
            return page(
                request, "failure.html", viewer, status=status, head=_head(status), detail=str(error).rstrip("."),
                code=status,
            )  # fmt: skip

    return signed_in(told)


def sentence(error: StationmasterError, name: str = "") -> str:
    """A message as a sentence of a page; one that begins with this name keeps it as it is written."""
    text = str(error).rstrip(".")
    return f"{text}." if name and text.startswith(name) else f"{text[:1].upper()}{text[1:]}."


def _head(status: int) -> str:
    heads = {
        404: "Not here", 403: "Not changed here", 409: "That did not work", 422: "That did not work",
        502: "The server refused",
    }  # fmt: skip
    return heads.get(status, "The Agent Server does not answer")

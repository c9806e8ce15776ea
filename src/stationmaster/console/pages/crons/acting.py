"""Pause with a reason, resume, run now, and the file of a cron."""

from collections.abc import Awaitable, Callable
from http import HTTPStatus

from starlette.datastructures import FormData
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stationmaster.console.pages.assistants.saving import reason_of
from stationmaster.console.pages.crons.addresses import href
from stationmaster.console.pages.crons.one import draw
from stationmaster.console.pages.people import Endpoint, require
from stationmaster.console.pages.served import cron_desk, sentence, served
from stationmaster.console.yaml_files import cron_file
from stationmaster.crons import operating
from stationmaster.crons.errors import CronError, NoSuchCron
from stationmaster.reviews.access.identity import Identity

Act = Callable[[Request, Identity, FormData], Awaitable[str]]


class NoReason(CronError):
    """Pausing takes a reason."""


def _act(run: Act) -> Endpoint:
    """An endpoint for a deed; what is refused is told on the page itself."""

    @served
    async def endpoint(request: Request, viewer: Identity) -> Response:
        require(viewer, "editor")
        form = await request.form()
        try:
            done = await run(request, viewer, form)
        except NoReason as error:
            return await draw(request, viewer, reason_error=str(error), status=422)
        except NoSuchCron:
            raise
        except CronError as error:
            return await draw(request, viewer, problem=sentence(error), reason=reason_of(form), status=409)
        where = href(request.path_params["name"], done=done)
        return RedirectResponse(where, HTTPStatus.SEE_OTHER, {"Cache-Control": "no-store"})

    return endpoint


async def _pause(request: Request, viewer: Identity, form: FormData) -> str:
    reason = reason_of(form)
    if not reason:
        raise NoReason("Say why: whoever finds it paused wants to know.")
    desk = cron_desk(request)
    await operating.pause(
        desk.server, desk.connections, request.path_params["name"], reason=reason, by=viewer.name
    )
    return "paused"


async def _resume(request: Request, viewer: Identity, form: FormData) -> str:
    cron = await operating.resume(cron_desk(request).server, request.path_params["name"])
    return "resumed" if cron.enabled else "off"


async def _run(request: Request, viewer: Identity, form: FormData) -> str:
    await operating.run_now(cron_desk(request).server, request.path_params["name"], by=viewer.name)
    return "ran"


pause, resume, run = _act(_pause), _act(_resume), _act(_run)


@served
async def file(request: Request, viewer: Identity) -> Response:
    """The file that says what the cron says. CronError for one that no file can describe."""
    return await cron_file(cron_desk(request).server.gateway, request.path_params["name"])


@served
async def back(request: Request, viewer: Identity) -> Response:
    """Whoever comes by the address of a form that was posted wants to look."""
    return RedirectResponse(href(request.path_params["name"]), HTTPStatus.SEE_OTHER)

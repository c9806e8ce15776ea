"""Files to keep: what a server has, written as the file that would say it."""

import re
from dataclasses import replace

from starlette.responses import Response

from stationmaster.crons import operating
from stationmaster.crons.errors import CronError
from stationmaster.reconcile.files.writing import new_text
from stationmaster.reconcile.gateway import Gateway
from stationmaster.reconcile.resources import Assistant, Cron


def file_name(name: str) -> str:
    """A name that a file may have: of an assistant that others made it may be anything."""
    plain = re.sub(r"[^a-z0-9._-]+", "-", name.casefold()).strip("._-")[:64].strip("._-")
    return plain or "assistant"


def assistant_file(content: Assistant, name: str) -> Response:
    """A file for an assistant of that name."""
    return _download(replace(content, name=file_name(name)))


async def cron_file(gateway: Gateway, asked: str) -> Response:
    """The file that says what the cron says. CronError for one that no file can describe."""
    cron = operating.the_one(await gateway.crons(), asked)
    if not cron.owned:
        raise CronError("this cron was made elsewhere and has no name: describe it in crons/*.yaml instead")
    named = {found.assistant_id: found.known_as for found in await gateway.assistants() if found.owned}
    if cron.assistant_id not in named:
        raise CronError(
            f"cron {cron.name} runs an assistant that no file describes: download and apply that first"
        )
    return _download(cron.content(named[cron.assistant_id]))


def _download(resource: Assistant | Cron) -> Response:
    return Response(
        new_text(resource), media_type="application/yaml",
        headers={
            "Content-Disposition": f'attachment; filename="{resource.name}.yaml"', "Cache-Control": "no-store",
        },
    )  # fmt: skip

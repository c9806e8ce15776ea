"""All crons with their next and last runs, and what became of the newest slots of all."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.console.pages.crons import words
from stationmaster.console.pages.crons.addresses import ALL, href, number
from stationmaster.console.pages.render import page
from stationmaster.console.pages.served import cron_desk, served
from stationmaster.console.told import may_read
from stationmaster.crons.desk import overview, recorded
from stationmaster.reviews.access.identity import Identity

PAGE_SIZE = 25


@served
async def crons(request: Request, viewer: Identity) -> Response:
    """For everybody who is signed in. `?before=`: the number of the last slot of the page before."""
    desk = cron_desk(request)
    before = number(request.query_params.get("before"))
    found = await overview(desk)
    history = await recorded(desk, None, before=before, limit=PAGE_SIZE)
    return page(
        request, "crons/all.html", viewer, current=ALL, crons=[drawn(each) for each in found],
        rows=[words.row(tick, told=may_read(viewer)) for tick in history.ticks], stale=history.stale,
        links={each["name"]: href(each["name"]) for each in found},
        older=f"{ALL}?before={history.older}#history" if history.older else "",
        newest=f"{ALL}#history" if before is not None else "",
    )  # fmt: skip


def drawn(found: dict[str, Any]) -> dict[str, Any]:
    """A cron of the overview with the words and links that pages need."""
    last = found["last"]
    return {
        **found, "href": href(found["name"]), "state": words.state(found),
        "next_text": words.in_zone(found["next_local"]),
        "last_status": words.outcome(last["outcome"]) if last else None,
        "label": found["name"] if found["owned"] else f"{found['name'][:8]}, made elsewhere",
    }  # fmt: skip

"""One cron: its next times, its history page by page, and what an editor can do with it."""

import asyncio
from datetime import UTC, datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.console.pages.crons import words
from stationmaster.console.pages.crons.addresses import ALL, href, number
from stationmaster.console.pages.crons.overview import drawn
from stationmaster.console.pages.render import page
from stationmaster.console.pages.served import cron_desk, served
from stationmaster.console.told import may_read
from stationmaster.crons.desk import Page, overview, recorded, upcoming
from stationmaster.crons.errors import NoSuchCron
from stationmaster.reviews.access.identity import Identity

PAGE_SIZE = 50
NEXT = 5
DONE = {
    "paused": "Paused. Runs under way go on; no time fires until it is resumed.",
    "resumed": "Resumed, with its next time from now: nothing fires for the past.",
    "off": "No longer paused. It stays off, as its file says.",
    "ran": "Started. Its run is the newest in the history.",
}


@served
async def one(request: Request, viewer: Identity) -> Response:
    """`?before=`: the number of the last slot of the page before; `?done=paused` after something was done."""
    return await draw(request, viewer)


async def draw(
    request: Request, viewer: Identity, *, problem: str = "", reason: str = "", reason_error: str = "",
    status: int = 200,
) -> Response:  # fmt: skip
    """The page; `reason` is what was typed for a pause that was refused."""
    desk, name = cron_desk(request), request.path_params["name"]
    before = number(request.query_params.get("before"))
    rows = await overview(desk, name)
    try:
        history = await recorded(desk, rows[0]["name"] if rows else name, before=before, limit=PAGE_SIZE)
    except NoSuchCron:
        if not rows:
            raise
        history = Page([], None)  # it has not fired yet
    found = drawn(rows[0]) if rows else None
    return page(
        request, "crons/one.html", viewer, status=status, current=ALL, name=name, cron=found, duplicates=len(rows) - 1,
        rows=[words.row(tick, told=may_read(viewer)) for tick in history.ticks], stale=history.stale,
        firings=await asyncio.to_thread(_firings, found) if found else [],
        behaviour=words.behaviour(found) if found else [], may_edit=viewer.has("editor"), problem=problem,
        reason=reason, reason_error=reason_error, where=href(name),
        older=href(name, before=history.older) + "#history" if history.older else "",
        newest=href(name) + "#history" if before is not None else "",
        done=DONE.get(request.query_params.get("done", ""), ""), here=href(name) if request.method == "POST" else "",
    )  # fmt: skip


def _firings(found: dict[str, Any]) -> list[dict[str, Any]]:
    """The next times in its own zone and in UTC, paused or not."""
    told = upcoming(found["schedule"], found["timezone"], datetime.now(UTC), NEXT)
    return [
        {"at": each.at, "local": words.in_zone(each.local), "note": each.note or ""} for each in told.firings
    ]

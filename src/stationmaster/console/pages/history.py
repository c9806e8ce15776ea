"""What is over: closed reviews, searchable, with who answered what and how it ended."""

from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stationmaster.console.pages import words
from stationmaster.console.pages.people import signed_in
from stationmaster.console.pages.query import LONGEST, PAGE_SIZE
from stationmaster.console.pages.render import page
from stationmaster.console.services import services
from stationmaster.reviews import facets, store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.model import CLOSED
from stationmaster.reviews.store import BadCursor, ListQuery

NAMES = ("q", "state", "by", "graph", "cursor")


@signed_in
async def history(request: Request, viewer: Identity) -> Response:
    """One page, the last closed first; everything that narrows it stands in the URL."""
    asked = {
        name: request.query_params.get(name, "").replace("\x00", "").strip()[:LONGEST] for name in NAMES[:-1]
    }
    asked["state"] = asked["state"] if asked["state"] in CLOSED else ""
    cursor = request.query_params.get("cursor")
    wanted = ListQuery(
        tab="closed", search=asked["q"] or None, state=asked["state"] or None, owner=asked["by"] or None,
        graph=asked["graph"] or None, cursor=cursor or None, limit=PAGE_SIZE,
    )  # fmt: skip
    async with services(request).pool.connection() as conn:
        try:
            found = await store.page(conn, wanted, viewer)
        except BadCursor:
            return RedirectResponse(_href(asked), 303)
        options = await facets.of(conn, viewer)
    return page(
        request, "history.html", viewer, current="/history", rows=found.reviews, asked=asked,
        states=[(state, words.state_word(state)) for state in sorted(CLOSED)], graphs=options.graphs,
        narrowed=any(asked.values()), newest=_href(asked) if cursor else "",
        older=_href({**asked, "cursor": found.cursor}) if found.cursor else "",
    )  # fmt: skip


def _href(asked: dict[str, Any]) -> str:
    query = urlencode({name: value for name, value in asked.items() if value})
    return f"/history?{query}" if query else "/history"

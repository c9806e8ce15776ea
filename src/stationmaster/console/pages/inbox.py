"""The inbox: one page of one tab, its counts and filters, and a word for when there is nothing."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from stationmaster.console.pages import query
from stationmaster.console.pages.people import signed_in
from stationmaster.console.pages.query import Filters
from stationmaster.console.pages.render import page
from stationmaster.console.services import services
from stationmaster.reviews import facets, store
from stationmaster.reviews.access.identity import Identity
from stationmaster.reviews.store import COUNTED, BadCursor, Tab

LABELS: dict[Tab, str] = {
    "needs_you": "Needs you", "claimed": "Claimed", "waiting": "Waiting on others", "decided": "Decided",
    "closed": "Closed", "debug": "Debug",
}  # fmt: skip
OPEN: frozenset[Tab] = frozenset({"needs_you", "claimed", "waiting", "debug"})


@dataclass(frozen=True)
class Empty:
    """What an empty tab says, and where it sends its reader."""

    head: str
    text: str
    href: str = ""
    link: str = ""


EMPTY: dict[Tab, Empty] = {
    "needs_you": Empty("Nothing waits for you", "When a graph asks something, it appears here by itself."),
    "claimed": Empty("You have claimed nothing", "Claim a review (c) to tell others that you are on it."),
    "waiting": Empty("Nothing waits on others", "What others have claimed, or you answered first of two, is here."),
    "decided": Empty("No answer is on its way", "Answers stay here until their graph has taken them."),
    "closed": Empty("Nothing is closed yet", "Finished, failed, replaced and expired reviews end up here."),
    "debug": Empty("No breakpoints", "Runs that were started with breakpoints, as Studio does, show up here."),
}  # fmt: skip


@signed_in
async def inbox(request: Request, viewer: Identity) -> Response:
    """One page of a tab. A cursor of another order starts again from the first page."""
    filters = query.parse(request.query_params)
    async with services(request).pool.connection() as conn:
        try:
            found = await store.page(conn, filters.for_store(), viewer)
        except BadCursor:
            return RedirectResponse(filters.href(), 303)
        counts = await store.counts(conn, viewer)
        options = await facets.of(conn, viewer)
    return page(
        request, "inbox.html", viewer, current="/", rows=found.reviews, filters=filters,
        tab=_tab(filters), tabs=_tabs(filters, counts, viewer), waiting=counts["needs_you"],
        facets=_facets(filters, options), empty=_empty(filters),
        here_query=f"?{request.url.query}" if request.url.query else "",
        older=filters.href(cursor=found.cursor) if found.cursor else "",
        newest=filters.href() if filters.cursor else "",
    )  # fmt: skip


def _tab(filters: Filters) -> dict[str, Any]:
    return {
        "name": filters.tab, "label": LABELS[filters.tab], "open": filters.tab in OPEN, "clear": filters.cleared(),
    }  # fmt: skip


def _tabs(filters: Filters, counts: dict[Tab, int], viewer: Identity) -> list[dict[str, Any]]:
    """The debug tab is for those who debug: shown when there is something in it, or when it is the one."""
    return [
        {
            "name": tab, "label": label, "count": counts[tab], "count_text": _count(counts[tab]),
            "current": tab == filters.tab, "href": filters.href(tab=tab),
        }
        for tab, label in LABELS.items()
        if tab != "debug" or (viewer.has("lead") and counts[tab]) or filters.tab == "debug"
    ]  # fmt: skip


def _count(number: int) -> str:
    return f"{COUNTED:,}+" if number > COUNTED else f"{number:,}"


def _facets(filters: Filters, options: facets.Facets) -> list[dict[str, Any]]:
    made = (
        ("graph", "Graph", "All graphs", options.graphs),
        ("assistant", "Assistant", "All assistants", options.assistants),
        ("group", "Group", "All groups", options.groups),
    )
    return [
        {
            "name": name, "label": label, "any": every, "value": getattr(filters, name),
            "options": sorted({*found, getattr(filters, name)} - {""}),
        }
        for name, label, every, found in made
        if len(found) > 1 or getattr(filters, name)
    ]  # fmt: skip


def _empty(filters: Filters) -> Empty:
    if filters.any:
        return Empty("Nothing fits the filters", "Other reviews may.", filters.cleared(), "Clear the filters")
    if filters.cursor:
        return Empty("Nothing more here", "You have seen them all.", filters.href(), "Back to the first")
    return EMPTY[filters.tab]

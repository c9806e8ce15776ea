"""The audit as a page: searchable, each entry with its place in the chain."""

from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from starlette.requests import Request
from starlette.responses import Response

from stationmaster.console.pages.people import signed_in
from stationmaster.console.pages.query import LONGEST
from stationmaster.console.pages.render import page
from stationmaster.console.pages.shown import MAX_JSON, as_json
from stationmaster.console.services import services
from stationmaster.reviews import audit
from stationmaster.reviews.access.identity import Identity

PAGE_SIZE = 100
NAMES = ("q", "actor", "action", "review")


@signed_in
async def entries(request: Request, viewer: Identity) -> Response:
    """One page, newest first, of what concerns reviews that the viewer may see."""
    asked = {name: request.query_params.get(name, "").replace("\x00", "").strip()[:LONGEST] for name in NAMES}
    problem = (
        ""
        if not asked["review"] or _is_id(asked["review"])
        else "That is no review’s id, so it was not used."
    )
    before = request.query_params.get("before", "")
    async with services(request).pool.connection() as conn:
        found = await audit.search(
            conn, viewer.scope(), review_id=asked["review"] if asked["review"] and not problem else None,
            actor=asked["actor"] or None, action=asked["action"] or None, words=asked["q"] or None,
            before=int(before) if before.isdecimal() and len(before) < 19 else None, limit=PAGE_SIZE,
        )  # fmt: skip
    return page(
        request, "audit.html", viewer, current="/audit", asked=asked, problem=problem,
        rows=[_row(entry) for entry in found], actions=sorted(audit.ACTIONS), narrowed=any(asked.values()),
        older=_href(asked, found[-1].seq) if len(found) == PAGE_SIZE else "", newest=_href(asked) if before else "",
        may_export=viewer.has("lead") and viewer.sees_every_group,
    )  # fmt: skip


def _row(entry: audit.Entry) -> dict[str, Any]:
    detail = as_json(entry.detail) if entry.detail else ""
    return {"entry": entry, "detail": detail[:MAX_JSON], "cut": len(detail) > MAX_JSON}


def _href(asked: dict[str, str], before: int | None = None) -> str:
    query = urlencode({name: value for name, value in {**asked, "before": before}.items() if value})
    return f"/audit?{query}" if query else "/audit"


def _is_id(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True

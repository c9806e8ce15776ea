"""Templates to pages: one environment with autoescape, what every page is given, no caching."""

from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import Response

from stationmaster.console import session
from stationmaster.console.pages import words
from stationmaster.console.pages.shown import label
from stationmaster.reviews.access.identity import Identity, Role

HERE = Path(__file__).parents[1]
TEMPLATES, STATIC = HERE / "templates", HERE / "static"
EVENTS_URL = "/api/v1/events"


def static(name: str) -> str:
    """The address of a static file."""
    return f"/static/{name}"


@cache
def environment() -> Environment:
    """Every value is escaped, and a name that no page was given is an error."""
    made = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, auto_reload=False,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    made.globals["static"] = static
    made.filters.update(
        status=words.status, owner=words.owner, answerer=words.answerer, due=words.due, ago=words.ago,
        money=words.money, done=words.done, stamp=words.stamp, clock=words.clock, label=label, actor=words.actor,
        sentence=words.sentence, age=lambda then, now: words.span(now - then), minute=words.minute,
        length_of=words.span,
    )  # fmt: skip
    return made


NAVIGATION: tuple[tuple[str, str, Role], ...] = (
    ("Inbox", "/", "reader"), ("History", "/history", "reader"), ("Audit", "/audit", "reviewer"),
    ("Operations", "/operations", "lead"), ("Assistants", "/assistants", "reader"), ("Crons", "/crons", "reader"),
)  # fmt: skip


def navigation(viewer: Identity, current: str) -> list[dict[str, Any]]:
    """The masthead's links that this viewer may follow."""
    return [
        {"label": text, "href": href, "current": href == current}
        for text, href, role in NAVIGATION
        if viewer.has(role)
    ]


class Page(Response):
    """HTML that no cache keeps. Half a surrogate pair, which UTF-8 can't carry, leaves as a question mark."""

    media_type = "text/html"

    def render(self, content: str) -> bytes:
        return content.encode("utf-8", "replace")


def page(
    request: Request,
    template: str,
    viewer: Identity | None,
    *,
    status: int = 200,
    current: str = "",
    **values: Any,
) -> Response:
    """One of the templates, with what all pages have."""
    common = {
        "viewer": viewer, "here": "", "now": datetime.now(UTC), "events_url": EVENTS_URL,
        "csrf": session.csrf_token(request),
        "navigation": navigation(viewer, current) if viewer else [],
    }  # fmt: skip
    html = environment().get_template(template).render({**common, **values})
    return Page(html, status, {"Cache-Control": "no-store", "Vary": "Cookie"})

"""The two pages that are shown to somebody who is not signed in, and how a failure reads there."""

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

TEMPLATES = Path(__file__).parent / "templates"

_environment = Environment(
    loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, auto_reload=False
)


def page(_: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """One of the templates as a page that no cache keeps."""
    html = _environment.get_template(template).render(values)
    return HTMLResponse(html, status, {"Cache-Control": "no-store"})

"""Pages for people over the review service: rendered here, made lively in the browser."""

from stationmaster.console.pages.failing import failure
from stationmaster.console.pages.routes import routes

__all__ = ["failure", "routes"]

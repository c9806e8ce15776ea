"""The product manager's pages about assistants: what is live, what it is set to, what changed, and trying it."""

from stationmaster.console.pages.assistants.routes import routes

__all__ = ["routes"]

"""The pages about crons: what runs when, what became of each slot, pause, resume and run now."""

from stationmaster.console.pages.crons.routes import routes

__all__ = ["routes"]

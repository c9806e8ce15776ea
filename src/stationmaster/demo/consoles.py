"""Whether a console runs beside the demonstration's server, and so how its ticket that waits is answered."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from stationmaster.cli.target import Target
from stationmaster.console import record
from stationmaster.console.client import ConsoleTarget, open_client
from stationmaster.console.record import ConsoleRecord
from stationmaster.demo.answering import ThroughReviews
from stationmaster.errors import StationmasterError
from stationmaster.settings import Settings


class NoConsole(StationmasterError):
    """There is no inbox in which a person could answer."""


@asynccontextmanager
async def answering_of(
    settings: Settings, target: Target, *, wait: bool
) -> AsyncIterator[ThroughReviews | None]:
    """Through the console of the same data directory, if it answers to this server; None: there is none."""
    found = _beside(settings, target)
    if found is None:
        yield None
        return
    async with open_client(ConsoleTarget(found.url, found.key)) as console:
        yield ThroughReviews(console, found.url, wait)


def require_console(settings: Settings, target: Target) -> None:
    """NoConsole, with the way out."""
    if _beside(settings, target) is None:
        raise NoConsole(
            f"no console runs beside {target.url}, in which you could answer: start `stationmaster up`, "
            "or leave out --wait"
        )


def _beside(settings: Settings, target: Target) -> ConsoleRecord | None:
    found = record.read_record(settings.data_dir)
    if found is None or found.api_url != target.url or not record.is_claimed(settings.data_dir):
        return None
    return found

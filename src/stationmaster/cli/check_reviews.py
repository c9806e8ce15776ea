"""The reviews of the threads that would break: their links in the console, if one is known."""

import asyncio
from pathlib import Path
from typing import Any

from stationmaster.cli.target import NoServer, find_console
from stationmaster.errors import StationmasterError
from stationmaster.settings import Settings


def with_reviews(
    against: dict[str, Any], settings: Settings, console_url: str | None, data_dir: Path | None
) -> None:
    """Give each thread that breaks `reviews`, the links of those that are open. Without a console there are none."""
    for each in against["broken"]:
        each["reviews"] = []
    if not against["broken"]:
        return
    try:
        links = asyncio.run(_links(settings, console_url, data_dir))
    except NoServer:
        if console_url:
            raise
        return
    except StationmasterError as error:
        against["notes"].append(f"reviews are not linked: {error}")
        return
    for each in against["broken"]:
        keys = [(each["thread_id"], interrupt) for interrupt in each["interrupts"]]
        each["reviews"] = [links[key] for key in keys if key in links]


async def _links(
    settings: Settings, console_url: str | None, data_dir: Path | None
) -> dict[tuple[str, str], str]:
    from stationmaster.cli.reviews_asking import OPEN_TABS
    from stationmaster.console.client import open_client

    target = find_console(settings, console_url, data_dir)
    found: dict[tuple[str, str], str] = {}
    async with open_client(target) as console:
        for tab in OPEN_TABS:
            for review in await console.reviews(tab):
                key = (review["thread_id"], review["interrupt_id"])
                found[key] = f"{target.url}/reviews/{review['id']}"
    return found

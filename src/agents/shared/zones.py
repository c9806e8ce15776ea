"""Time zones by their IANA names: the clocks of places and people, daylight saving included."""

import asyncio
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from agents.shared.errors import PermanentError


class NoSuchZone(PermanentError):
    """There is no time zone of that name; the message says which."""


async def zone(name: str) -> ZoneInfo:
    """The zone, such as Europe/London; in a thread, since the first use of a zone reads a file. Raises NoSuchZone."""
    try:
        return await asyncio.to_thread(ZoneInfo, name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise NoSuchZone(f"there is no time zone {name!r}; name one such as Europe/London") from error

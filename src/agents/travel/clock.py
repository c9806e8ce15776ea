"""Which day it is for a traveller: by the clock of where the trip begins, or by the assistant's."""

from datetime import UTC, datetime

from agents.shared.zones import zone
from agents.travel.state import Trip


async def today_for(trip: Trip, assistants_zone: str) -> str:
    """The ISO date of now. Raises NoSuchZone."""
    return datetime.now(UTC).astimezone(await zone(trip.get("zone") or assistants_zone)).date().isoformat()

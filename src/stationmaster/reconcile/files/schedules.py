"""Whether a schedule can be read and ever fires, and whether a zone is known; by the library that servers use."""

import difflib
import re
from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from croniter import CroniterBadCronError, CroniterBadDateError, croniter
from croniter.croniter import CroniterNotAlphaError

EXAMPLE = "write five fields, minute, hour, day of month, month, day of week, like '0 9 * * 1-5'"

# `R`, `R/5`, `R(0-10)`: croniter draws lots for it, anew each time, so that no slot would be the same twice.
RANDOM = re.compile(r"r($|[(/])", re.IGNORECASE)


def check_schedule(text: str) -> str:
    """The text; ValueError says why it can't be used."""
    try:
        found = croniter(text, datetime.now(UTC))
    except (CroniterBadCronError, CroniterNotAlphaError, ValueError, KeyError, AttributeError):
        raise ValueError(f"{text!r} is no schedule: {EXAMPLE}") from None
    if any(map(RANDOM.match, text.split())):
        raise ValueError(f"{text!r} means another time whenever it is read: {EXAMPLE}")
    try:
        found.get_next(datetime)
    except CroniterBadDateError:
        raise ValueError(f"{text!r} never fires, no such day comes: write one that does") from None
    return text


def check_zone(text: str) -> str:
    """The text; ValueError suggests the nearest zone."""
    try:
        ZoneInfo(text)
    except (KeyError, ValueError, OSError):
        near = difflib.get_close_matches(text.lower(), _zones(), n=1, cutoff=0.6)
        guess = f"did you mean {_zones()[near[0]]}? " if near else ""
        raise ValueError(f"{text!r} is no time zone: {guess}write one like Europe/London or UTC") from None
    return text


@cache
def _zones() -> dict[str, str]:
    """By their names in small letters, and by their last part alone."""
    zones = sorted(available_timezones())
    return {
        **{zone.rpartition("/")[2].lower(): zone for zone in zones},
        **{zone.lower(): zone for zone in zones},
    }

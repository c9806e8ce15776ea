"""When a local time is: by the time zone of its place, with the hours that don't come and those that come twice."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo


class NoMoment(ValueError):
    """A clock there never shows that time, or shows it twice; the message says which."""


def moment_of(written: datetime, zone: str) -> tuple[datetime, datetime]:
    """The time by the clock of the place, without an offset, and the moment in UTC. Raises NoMoment."""
    clock = ZoneInfo(zone)
    local = written.replace(tzinfo=None)
    if written.tzinfo is not None:
        there = written.astimezone(clock).replace(tzinfo=None)
        if there != local:
            raise NoMoment(
                f"with that offset it is {there:%Y-%m-%d %H:%M} in {zone}: write the time of the place"
            )
        return local, written.astimezone(UTC)
    first, second = (local.replace(tzinfo=clock, fold=fold) for fold in (0, 1))
    if first.astimezone(UTC).astimezone(clock).replace(tzinfo=None) != local:
        raise NoMoment(f"clocks in {zone} are put forward and never show it")
    if first.utcoffset() != second.utcoffset():
        raise NoMoment(
            f"clocks in {zone} are put back and show it twice: add {_offset(first)} or {_offset(second)}"
        )
    return local, first.astimezone(UTC)


def _offset(at: datetime) -> str:
    """+02:00, as it is written behind a time."""
    minutes = (at.utcoffset() or timedelta()) // timedelta(minutes=1)
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
